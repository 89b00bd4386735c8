# SPDX-License-Identifier: GPL-2.0
# Shared by the scripts in tools/checks: building the test programs of a folder of selftests/
# and running them in the test host; and tests that are one command each.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$TOP/selftests/lib/tap.sh"

# build_programs FOLDER OUT: what selftests/FOLDER/Makefile makes, inside build/root. Layers that run
# at the same time may want the same programs.
build_programs() {
	[[ -e $TOP/selftests/$1/Makefile ]] || return 0
	mkdir -p "$BUILD/$2"
	(
		flock 9
		in_root make -s -j2 -C "/gslot/selftests/$1" O="/gslot/build/$2" 9>&-
	) 9>"$BUILD/$2/.lock"
}

# list_tests FOLDER: the test programs of selftests/FOLDER as the test host sees them: scripts
# NAME.t there, and programs built from NAME.c there or in a folder below
list_tests() {
	local file name

	for file in "$TOP/selftests/$1"/*.t; do
		[[ ! -x $file ]] || echo "/gslot/selftests/$1/$(basename "$file")"
	done
	for file in "$TOP/selftests/$1"/{*,*/*}.c; do
		name=$(basename "$file" .c)
		[[ $file != */@(lib|bench)/* ]] || continue
		[[ ! -x $BUILD/selftests/$1/$name ]] || echo "/gslot/build/selftests/$1/$name"
	done
}

# run_tests FOLDER PREPARE [VM-OPTION]...: all of them in one test host, after the command PREPARE;
# by the folder's own runner if it has one, with the options RUN_OPTIONS. SLOW=N gives them N times
# as long.
run_tests() {
	local folder=$1 prepare=$2 run tests
	shift 2

	build_programs clients clients
	build_programs "$folder" "selftests/$folder"
	mapfile -t tests < <(list_tests "$folder")
	((${#tests[@]})) || { echo "# no tests in selftests/$folder"; return 0; }
	run="TAP_TIMEOUT=1500 VERBOSE=1 /gslot/selftests/lib/run-tap ${tests[*]}"
	[[ ! -x $TOP/selftests/$folder/run ]] ||
		run="HARNESS_VERBOSE=1 SLOW=${SLOW-1} /gslot/selftests/$folder/run ${RUN_OPTIONS-}"
	"$TOP/tools/vm" --out "$BUILD/check/$folder" "$@" -- "$prepare && $run"
}

# from_memory PROGRAM [ARGUMENT]...: what runs a test of selftests/module in the test host with nothing
# of 9p open when it ends: 9p does not outlive system sleep.
from_memory() {
	local lib=/lib/x86_64-linux-gnu/libc.so.6 loader=/lib64/ld-linux-x86-64.so.2

	echo "set -e
		/gslot/tools/load-module
		cp /gslot/build/selftests/module/$1 $loader $lib /tmp
		touch /run/slept
		exec /tmp/${loader##*/} --library-path /tmp /tmp/$*"
}

# try NAME COMMAND...: a test that passes if COMMAND does; its output is TRY_LOGS.N.log
try() {
	local name=$1 log=$TRY_LOGS.$((tap_n + 1)).log rc=0
	shift

	"$@" >"$log" 2>&1 || rc=$?
	if ((rc)); then
		# What a compiler has to say may be far from the end.
		{ grep -E -A4 '(warning|error|WARNING|ERROR|CHECK):' "$log" || tail -n 20 "$log"; } |
			head -n 60 | sed 's/^/# /' || :
		echo "# all of it: ${log#"$TOP"/}"
	fi
	result $rc "$name"
}

# quietly COMMAND...: it, and it fails as well if it prints a warning or an error. That this machine's
# clock was set back is none: what is built is built anew
quietly() {
	"$@" 2>&1 | awk '
	/^make[^ ]*: warning: +Clock skew detected/ { print; next }
	/(warning|error|WARNING|ERROR):/ { bad = 1 }
	{ print }
	END { exit bad }'
}

# SPDX-License-Identifier: GPL-2.0
# Shared by the scripts in tools/checks: builds the test programs of a folder of selftests/, runs
# them in the test host, and runs tests that are one command each.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$TOP/selftests/lib/tap.sh"

# Runs the tests that follow, as a command of a shell; each has 1500 s.
PROVE="prove --verbose --timer --exec 'timeout 1500'"

# Options of selftests/module/run: all tests that measure nothing.
# shellcheck disable=SC2034
UNMEASURED="-s waiting -s others"

# Put before a command: without ALL=1 some tests are shorter (BRIEF in selftests/module/run).
BRIEFLY=
[[ ${ALL-} ]] || BRIEFLY='BRIEF=1'

# build_programs FOLDER OUT: build the programs of selftests/FOLDER/Makefile, inside build/root.
# Layers that run at the same time may need the same programs, hence the lock.
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

# run_tests FOLDER PREPARE [VM-OPTION]...: run all of them in one test host, after the command
# PREPARE, by the folder's own runner if it has one, with the options RUN_OPTIONS. SLOW=N multiplies
# its time limits by N.
run_tests() {
	local folder=$1 prepare=$2 run tests
	shift 2

	# Called as a condition, too, where errexit is off.
	build_programs clients clients || return
	build_programs "$folder" "selftests/$folder" || return
	mapfile -t tests < <(list_tests "$folder")
	((${#tests[@]})) || { echo "# no tests in selftests/$folder"; return 0; }
	run="$PROVE ${tests[*]}"
	[[ ! -x $TOP/selftests/$folder/run ]] ||
		run="$BRIEFLY HARNESS_VERBOSE=1 SLOW=${SLOW-1} /gslot/selftests/$folder/run \
			${RUN_OPTIONS-}"
	"$TOP/tools/vm" --out "$BUILD/check/$folder" "$@" -- "$prepare && $run"
}

# from_memory PROGRAM [ARGUMENT]...: print the commands that run a test of selftests/module from
# memory: 9p does not survive system sleep.
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
		# A compiler's message may be far from the end.
		{
			grep -E -A4 '(warning|error|WARNING|ERROR|CHECK):' "$log" ||
				tail -n 20 "$log"
		} | head -n 60 | sed 's/^/# /' || :
		echo "# full log: ${log#"$TOP"/}"
	fi
	result $rc "$name"
}

# quietly COMMAND...: run it, and fail also if it prints a warning or an error. Clock skew does not
# count: it only causes a rebuild
quietly() {
	"$@" 2>&1 | awk '
	/^make[^ ]*: warning: +Clock skew detected/ { print; next }
	/(warning|error|WARNING|ERROR):/ { bad = 1 }
	{ print }
	END { exit bad }'
}

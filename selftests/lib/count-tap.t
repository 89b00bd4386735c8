#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# count-tap counts each test of a log once, whoever ran it and said what of it.

. "$(dirname "$0")/tap.sh"

unset VERBOSE
here=$(dirname "$0")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
printf '#!/bin/sh\necho "ok 1 - a"; echo "ok 2 - b # SKIP no"; echo "ok 3 - c"; echo 1..3\n' >"$dir/good"
printf '#!/bin/sh\necho "ok 1 - a"; echo "not ok 2 - b"; echo 1..2\n' >"$dir/bad"
printf '#!/bin/sh\necho 1..9; echo "ok 1 - a"; echo "ok 2 - b"; exit 3\n' >"$dir/short"
printf '#!/bin/sh\necho "1..0 # SKIP no"\n' >"$dir/skipped"
printf '#!/bin/sh\n' >"$dir/silent"
chmod +x "$dir"/*

# by_run_tap PROGRAM...: what it says of them, as tools/check has it in a log
by_run_tap() {
	local p paths=

	for p; do paths="$paths $dir/$p"; done
	# shellcheck disable=SC2086
	"$here/run-tap" $paths | sed 's/^[0-9]* passed/# &/'
}

# expect COUNT WHAT COMMANDS: of a log that COMMANDS print
expect() {
	local want="$1" what="$2" count

	eval "$3" >"$dir/log"
	count=$("$here/count-tap" "$dir/log")
	[ "$count" = "$want" ] || echo "# it says $count, not $want"
	check "$what" [ "$count" = "$want" ]
}

# As prove shows a program.
by_prove() {
	echo "[00:00:00] $dir/$1 .. "
	"$dir/$1"
	echo "ok      123 ms ( 0.00 usr  0.00 sys +  0.00 cusr  0.00 csys =  0.00 CPU)"
}

shown='VERBOSE=1 by_run_tap'
expect '0 0 0' 'nothing' true
expect '2 0 1' 'a program' '$dir/good'
expect '5 1 2' 'one after another' '$dir/good; $dir/bad; $dir/good'
expect '4 0 2' 'by prove' 'by_prove good; by_prove good; echo Files=2, Tests=6'
expect '2 0 2' 'one skipped by prove' 'echo "[00:00:00] x .. skipped: no"; by_prove good'
expect '4 0 2' 'by run-tap' 'by_run_tap good good'
expect '4 0 2' 'by run-tap, all shown' "$shown good good"
expect '5 4 2' 'by run-tap, some fail' 'by_run_tap good bad silent short skipped none'
expect '5 4 2' 'the same, all shown' "$shown good bad silent short skipped none"
expect '8 0 4' 'by all of them' "$shown good; by_prove good; \$dir/good; $shown good"
expect '3 1 1' 'beside what is not shown' '$dir/bad; by_run_tap good'
tap_done

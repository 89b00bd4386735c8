#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# count-tap counts the tests of a log, whether prove ran them or not.

. "$(dirname "$0")/tap.sh"

here=$(dirname "$0")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
printf '#!/bin/sh\necho "ok 1 - a"; echo "ok 2 - b # SKIP no"; echo "ok 3 - c"; echo 1..3\n' \
	>"$dir/good"
printf '#!/bin/sh\necho "ok 1 - a"; echo "not ok 2 - b"; echo 1..2\n' >"$dir/bad"
printf '#!/bin/sh\necho 1..9; echo "ok 1 - a"; echo "ok 2 - b"; exit 3\n' >"$dir/dies"
printf '#!/bin/sh\necho 1..9; echo "ok 1 - a"; echo "ok 2 - b"\n' >"$dir/short"
printf '#!/bin/sh\necho "ok 1 - a"; echo 1..1; exit 3\n' >"$dir/late"
printf '#!/bin/sh\necho 1..9; echo "ok 1 - a"; sleep 60\n' >"$dir/hangs"
printf '#!/bin/sh\necho "ok 1 - a"\n' >"$dir/planless"
printf '#!/bin/sh\necho "1..0 # SKIP no"\n' >"$dir/skipped"
printf '#!/bin/sh\n' >"$dir/silent"
chmod +x "$dir"/*

# by_prove PROGRAM...: run them as the layers of tests do
by_prove() {
	(cd "$dir" && prove --verbose --timer --exec 'timeout 1' "$@" 2>&1)
}

# expect COUNT WHAT COMMANDS: count-tap's answer for a log with the output of COMMANDS
expect() {
	local want="$1" what="$2" count

	eval "$3" >"$dir/log"
	count=$("$here/count-tap" "$dir/log")
	[ "$count" = "$want" ] || echo "# it counts $count, not $want"
	check "$what" [ "$count" = "$want" ]
}

expect '0 0 0' 'an empty log' true
expect '2 0 1' 'one program' '$dir/good'
expect '5 1 2' 'several programs' '$dir/good; $dir/bad; $dir/good'
expect '0 0 1' 'a skipped program' '$dir/skipped'
expect '4 0 2' 'by prove: passed' 'by_prove ./good; by_prove ./good'
expect '1 1 0' 'by prove: one test fails' 'by_prove ./bad'
expect '2 1 0' 'by prove: dies before the end of its plan' 'by_prove ./dies'
expect '2 1 0' 'by prove: ends before the end of its plan' 'by_prove ./short'
expect '1 1 0' 'by prove: ends with an error after its plan' 'by_prove ./late'
expect '1 1 0' 'by prove: hangs' 'by_prove ./hangs'
expect '1 1 0' 'by prove: has no plan' 'by_prove ./planless'
expect '0 1 0' 'by prove: prints nothing' 'by_prove ./silent'
expect '0 1 0' 'by prove: was not built' 'by_prove ./none'
expect '0 0 1' 'by prove: skipped' 'by_prove ./skipped'
expect '7 3 2' 'by prove and without' '$dir/good; by_prove ./bad ./good ./silent ./short'
tap_done

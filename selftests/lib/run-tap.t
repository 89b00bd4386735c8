#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# run-tap sees a program that ends before its plan does, and tells why one was skipped.

. "$(dirname "$0")/tap.sh"

unset VERBOSE	# it looks at what is said without
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# expect CLOSING-LINE WHAT PATTERN: of a run-tap over a program, the text of which is the input
expect() {
	{ echo '#!/bin/sh'; cat; } >"$dir/program"
	chmod +x "$dir/program"
	"$(dirname "$0")/run-tap" "$dir/program" >"$dir/out" 2>&1
	if [ "$(tail -n 1 "$dir/out")" = "$1" ] && grep -q "$3" "$dir/out"; then
		result 0 "$2"
	else
		sed 's/^/# /' "$dir/out"
		result 1 "$2"
	fi
}

expect '2 passed, 0 failed' 'all of a plan' '2 ok' <<'END'
echo 'ok 1 - a'; echo 'ok 2 - b'; echo 1..2
END
expect '3 passed, 1 failed' 'dies after the third of ten' 'exit status' <<'END'
echo 1..10; echo 'ok 1 - a'; echo 'ok 2 - b'; echo 'ok 3 - c'; kill -9 $$
END
expect '3 passed, 1 failed' 'ends well after the third of ten' 'planned: 10' <<'END'
echo 1..10; echo 'ok 1 - a'; echo 'ok 2 - b'; echo 'ok 3 - c'
END
expect '1 passed, 1 failed' 'has no plan' 'planned: none' <<'END'
echo 'ok 1 - a'
END
expect '0 passed, 1 failed' 'says nothing' 'planned: none' <<'END'
END
expect '1 passed, 0 failed' 'a skipped test is listed with its reason' 'skipped: .*no disk' <<'END'
echo 'ok 1 - a'; echo 'ok 2 - b # SKIP no disk'; echo 1..2
END
expect '0 passed, 0 failed' 'so is a skipped program' 'skipped: .*no GPU' <<'END'
echo '1..0 # SKIP no GPU'
END
tap_done

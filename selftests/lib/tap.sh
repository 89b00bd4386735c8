# SPDX-License-Identifier: GPL-2.0
# The Test Anything Protocol for scripts of sh and bash, for prove(1).
# shellcheck shell=sh disable=SC3043

tap_n=0 tap_failed=0

# result STATUS NAME [DIRECTIVE]: print a test's line
result() {
	local line=ok

	tap_n=$((tap_n + 1))
	[ "$1" -eq 0 ] || { line='not ok' tap_failed=$((tap_failed + 1)); }
	echo "$line $tap_n - $2${3:+ # $3}"
}

# check NAME COMMAND...: a test that passes if COMMAND does
check() {
	local name="$1" rc=0
	shift

	"$@" || rc=1
	result $rc "$name"
}

# skip NAME REASON: skip a test
skip() {
	result 0 "$1" "SKIP $2"
}

# tap_done: print the plan, at the end
tap_done() {
	echo "1..$tap_n"
}

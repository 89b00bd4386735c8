#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The device model under the stock i915, natively, which shows that the model is a GPU. Runs in the
# test host (tools/vm), as part of 'make check-model', and prints TAP.

. "$(dirname "$0")/../lib/tap.sh"

clients=/gslot/build/clients
tools=/gslot/tools
device=/sys/bus/pci/devices/0000:00:02.0
chipset=$(<$device/device)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# pass_on NAME ARGUMENT...: run gem_test and report its results
pass_on() {
	local line rc name=$1
	shift

	"$clients/gem_test" --chipset="$chipset" "$@" >"$work/gem_test" 2>&1
	rc=$?
	while read -r line; do
		case $line in
		'ok '*)	result 0 "${line#* - }" ;;
		'not ok '*)
			result 1 "${line#* - }" ;;
		'#'*)	echo "$line" ;;
		1..*)	;;
		*)	echo "# $line" ;;
		esac
	done <"$work/gem_test"
	# A client that dies prints no more results: make that a failure.
	result $((rc > 1)) "$name runs to its end"
}

# complaints [PATTERN]: print the errors in the kernel's log since the last call, except PATTERN
complaints() {
	local errors='WARNING|BUG|\*ERROR\*|Oops|Call Trace|GPU HANG|wedged|[Ff]ailed|stuck'

	dmesg >"$work/dmesg.now"
	tail -n "+$(($(cat "$work/lines" 2>/dev/null || echo 0) + 1))" "$work/dmesg.now" |
		grep -E "$errors|timed out|IIR" | grep -vE "${1:-^\$}" >"$work/complaints"
	wc -l <"$work/dmesg.now" >"$work/lines"
	sed 's/^/# /' "$work/complaints"
	[[ -s $work/complaints ]]
}

# clean NAME [PATTERN]: the kernel's log has no error, except PATTERN
clean() {
	local rc=0

	complaints "${2-}" && rc=1
	result $rc "$1"
}

# load NAME: load i915. When a Broadwell without a display may sleep, i915 walks a list of CRTCs
# that it has never initialised (hsw_enable_pc8() in 6.12): keep it awake.
load() {
	modprobe i915
	result $? "$1"
	[[ $chipset != 0x16* ]] || echo on >"$device/power/control"
}

# counters_zero NAME REGEX: of the model's counters, there are some of that name, all of them 0
counters_zero() {
	"$tools/gpu" counters >"$work/counters"
	awk -v want="$2" '
	$1 ~ want	{ seen = 1 }
	$1 ~ want && $2	{ print "# " $0; bad = 1 }
	END		{ if (!seen) print "# no such counter"; exit bad || !seen }
	' "$work/counters"
	result $? "$1"
}

# counters_used NAME REGEX: all of them are above 0
counters_used() {
	"$tools/gpu" counters >"$work/counters"
	awk -v want="$2" '
	$1 ~ want	{ seen = 1 }
	$1 ~ want && !$2 { print "# " $0; bad = 1 }
	END		{ if (!seen) print "# no such counter"; exit bad || !seen }
	' "$work/counters"
	result $? "$1"
}

dmesg | wc -l >"$work/lines"
# What the tests look for in the log must not be lost in other lines.
dmesg -n 4

began=$EPOCHREALTIME
load "modprobe i915"
echo "# $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) ms"
[[ -c /dev/dri/renderD128 ]]
result $? "a render node"
clean "a clean probe"

pass_on "gem_test" --skip=hang_rcs --skip=hang_bcs
clean "no complaints from the kernel"
counters_zero "no stale TLB hit" stale
counters_zero "no fault" '-faults$'
counters_zero "no unknown command" '-errors$'
counters_used "four engines have executed commands" '^(rcs|bcs|vcs|vecs)0-commands$'
# On Gen8 i915 does not preempt rcs.
[[ $chipset == 0x16* ]] || counters_used "rcs has preempted" '^rcs0-preemptions$'
counters_used "nonpriv was blocked" '^rcs0-blocked$'
counters_used "threads were dispatched" '^rcs0-dispatches$'
counters_zero "none found what another context left" '^rcs0-residues$'

pass_on "gem_test with hangs" hang_rcs hang_bcs
clean "nothing but the hangs" 'GPU HANG|for preemption time out|context reset due to'
counters_used "engines were reset" '^(rcs|bcs)0-resets$'
pass_on "gem_test after the hangs" params store_rcs store_bcs store_vcs store_vecs contexts

# At runtime: asleep when it has nothing to do, and awake when there is.
sleeps() {
	local i

	for ((i = 0; i < 300; i++)); do
		[[ $(<"$device/power_state") != D3hot ]] || return 0
		sleep 0.2
	done
	echo "# $(<"$device/power_state"), $(<"$device/power/runtime_status")"
	return 1
}
if [[ $chipset != 0x16* ]]; then
	echo 100 >"$device/power/autosuspend_delay_ms"
	echo auto >"$device/power/control"
	check "idle, it is in D3hot" sleeps
	pass_on "gem_test out of D3hot" store_rcs store_bcs gtt_mmap contexts
	check "it is in D3hot again" sleeps
	echo on >"$device/power/control"
	check "it is told to stay awake" grep -qx D0 "$device/power_state"
	clean "no complaints of power management"
fi

modprobe -r i915
result $? "modprobe -r i915"
clean "unloads cleanly"
load "modprobe i915 again"
clean "a clean second probe"
pass_on "gem_test after a new start" params store_rcs store_bcs store_vcs store_vecs fill
counters_zero "no stale TLB hit at the end" stale
counters_zero "no fault at the end" '-faults$'
sed 's/^/# /' "$work/counters"
tap_done

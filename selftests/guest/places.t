#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two guests whose stock i915 verifies its data, while an administrator changes all the time how they
# share graphics memory and where they are in it.
set -u
. "$(dirname "$0")/lib.sh"

sysfs=$(echo /sys/bus/pci/drivers/gslot/*/gslot)
work='store_rcs store_bcs fill copy gtt_mmap fences_y fences_copy contexts parallel'
declare -A uuid

# choose ATTRIBUTE NAME: it is so now
choose() {
	echo "$2" >"$sysfs/$1" && grep -qF "[$2]" "$sysfs/$1"
}

# change_all: one change after another, a note of each in /run/changes, until /run/stop appears. The
# guests are told when each way to place has been chosen with each copy policy
change_all() {
	local copy place

	while :; do
		for place in size score utilization optimal; do
			for copy in slot demand sparse cached predictive; do
				[[ ! -e /run/stop ]] || return 0
				choose copy_policy "$copy" && choose placement "$place" ||
					echo "not $copy, $place" >>/run/refused
				echo >>/run/changes
				sleep 0.1
			done
		done
		touch /out/places-{1,2}/changed
	done
}

# However long changes take, the guests work until all have been made.
work="(until gem_test --seconds=10 isolation $work || exit; [ -e /out/changed ]; do :; done)"
for name in places-1 places-2; do
	uuid[$name]=$(vgpu_create) || exit 1
	guest_start "$name" "${uuid[$name]}" "$work; $hold"
done
: >/run/changes
: >/run/refused
guest_go places-1 places-2
change_all &
changer=$!
for name in places-1 places-2; do
	check "$name: at its end" wait_for 900 guest_says "$name" "done"
	check "$name: nothing was refused" nothing_refused "${uuid[$name]}"
done
touch /run/stop
wait "$changer"
echo "# $(wc -l </run/changes) changes"
check "there was each change" test -e /out/places-1/changed
check "all of them were accepted" test ! -s /run/refused
check "vGPUs were moved, and loaded at a switch" grep -q '^loads: [1-9]' "$DEBUGFS/copies"
for name in places-1 places-2; do
	guest_end "$name"
	check "$name: the guest is content" guest_wait "$name"
	check "$name: its log is clean" guest_log_clean "$name"
	check "$name: nothing is left" nothing_left "${uuid[$name]}"
	vgpu_remove "${uuid[$name]}"
done
check "residency is a cache again" choose copy_policy cached
check "the host's log is clean" log_clean
tap_done

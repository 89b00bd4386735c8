#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two guests verify data through their stock i915, while an administrator keeps changing how
# graphics memory is shared and placed.
set -u
. "$(dirname "$0")/lib.sh"

work='store_rcs store_bcs fill copy gtt_mmap fences_y fences_copy contexts parallel'
declare -A uuid

# change_all: make one change after another, listed in /run/changes, until /run/stop appears. Tell
# the guests when each placement has been combined with each copy policy
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

# The guests work until all changes are made, however long these take.
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
	check "$name: the guest completes its work" wait_for 900 guest_says "$name" "done"
	check "$name: nothing was refused" nothing_refused "${uuid[$name]}"
done
touch /run/stop
wait "$changer"
echo "# $(wc -l </run/changes) changes"
check "all changes were made" test -e /out/places-1/changed
check "all changes were accepted" test ! -s /run/refused
check "vGPUs were moved, and loaded at switches" grep -q '^loads: [1-9]' "$DEBUGFS/copies"
for name in places-1 places-2; do
	guest_end "$name"
	check "$name: the guest's tests pass" guest_wait "$name"
	check "$name: its log is clean" guest_log_clean "$name"
	check "$name: no resource is left" nothing_left "${uuid[$name]}"
	vgpu_remove "${uuid[$name]}"
done
check "residency is a cache again" choose copy_policy cached
check "the host's log is clean" log_clean
tap_done

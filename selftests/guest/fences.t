#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two guests at once, each with more tiled objects than the GPU has fences, in as many threads as it
# has fences, or in one: each guest reads back its own data through its fences, and not the other's.
set -u
. "$(dirname "$0")/lib.sh"

work='fences_y fences_x fences_none fences_turns fences_copy'
declare -A uuid

# demoted UUID: it has lost physical fences to others
demoted() {
	echo "# $(grep aperture_demotions "$DEBUGFS/$1/ggtt")"
	grep -q '^aperture_demotions: [1-9]' "$DEBUGFS/$1/ggtt"
}

for name in fences-1 fences-2; do
	uuid[$name]=$(vgpu_create) || exit 1
	guest_start "$name" "${uuid[$name]}" "gem_test --seed=${name#*-} $work; $hold"
done
guest_go fences-1 fences-2
for name in fences-1 fences-2; do
	check "$name: the guest completes its work" wait_for 600 guest_says "$name" "done"
	check "$name: nothing was refused" nothing_refused "${uuid[$name]}"
	check "$name: it lost physical fences meanwhile" demoted "${uuid[$name]}"
done
for name in fences-1 fences-2; do
	guest_end "$name"
	check "$name: the guest's tests pass" guest_wait "$name"
	grep -E '^# (fences_|[0-9]+ threads)' "/out/$name.log" | sed "s/^#/# $name:/"
	check "$name: its log is clean" guest_log_clean "$name"
	check "$name: no resource is left" nothing_left "${uuid[$name]}"
	vgpu_remove "${uuid[$name]}"
done
check "the aperture is empty" grep -qx 'pages_used: 0' "$DEBUGFS/aperture"
check "the host's log is clean" log_clean
tap_done

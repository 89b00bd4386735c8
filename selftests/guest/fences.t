#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two guests at once, each with more tiled objects than the GPU has fences, in as many threads as it
# has, or in one: what each writes through its fences is there, and not what the other one does.
set -u
. "$(dirname "$0")/lib.sh"

work='fences_y fences_x fences_none fences_turns fences_copy'
declare -A uuid

# demoted UUID: fences of the GPU were taken from it, as others were needed
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
	check "$name: at its end" wait_for 600 guest_says "$name" "done"
	check "$name: nothing was refused" nothing_refused "${uuid[$name]}"
	check "$name: the fences of the GPU were not enough" demoted "${uuid[$name]}"
done
for name in fences-1 fences-2; do
	guest_end "$name"
	check "$name: the guest is content" guest_wait "$name"
	grep -E '^# (fences_|[0-9]+ threads)' "/out/$name.log" | sed "s/^#/# $name:/"
	check "$name: its log is clean" guest_log_clean "$name"
	check "$name: nothing is left" nothing_left "${uuid[$name]}"
	vgpu_remove "${uuid[$name]}"
done
check "nothing is left in the aperture" grep -qx 'pages_used: 0' "$DEBUGFS/aperture"
check "the host's log is clean" log_clean
tap_done

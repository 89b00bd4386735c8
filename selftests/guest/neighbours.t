#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest does not notice what becomes of its neighbours: one hangs, one is destroyed in
# mid-batch, one is reset, the QEMU of one is killed.
set -u
. "$(dirname "$0")/lib.sh"

virsh() { command virsh -q -c qemu:///system "$@"; }

# hanging UUID: rcs0 has worked for it 300 ms longer than noted in busy, where all that i915 does
# to start takes a few; so it is in a batch that does not end
hanging() {
	(($(rcs_busy "$1") > busy + 300000000))
}

# A batch without end, which i915 takes away after some seconds, and another one: however long it
# takes to do something to that guest, it is at work.
hang='while :; do gem_test hang_rcs; done'

# in_mid_batch NAME UUID: let the guest begin, whose work is such batches, and wait until the GPU is
# in one
in_mid_batch() {
	busy=$(rcs_busy "$2")
	guest_go "$1"
	check "$1: the GPU is in its batch" wait_for 300 hanging "$2"
}

calm=$(vgpu_create) || exit 1
wild=$(vgpu_create) || exit 1
guest_start calm "$calm" \
	"while [ ! -e /out/stop ]; do gem_test --seed=9 --seconds=3 isolation store_rcs || exit; done"
guest_go calm

guest_start hangs "$wild" "gem_test hang_bcs store_bcs"
guest_go hangs
check "a guest that hangs recovers" guest_wait hangs
check "and leaves nothing" nothing_left "$wild"

guest_start destroyed "$wild" "$hang"
in_mid_batch destroyed "$wild"
check "a guest is destroyed in mid-batch" virsh destroy destroyed
guest_wait destroyed >/dev/null
check "and leaves nothing" nothing_left "$wild"

guest_start rebooted "$wild" \
	"test -e /out/again && exec gem_test store_bcs; touch /out/again; $hang"
in_mid_batch rebooted "$wild"
check "a guest is reset in mid-batch" virsh reset rebooted
check "and works when it is back" guest_wait rebooted
check "and leaves nothing" nothing_left "$wild"

guest_start killed "$wild" "$hang"
in_mid_batch killed "$wild"
check "the QEMU of a guest is killed" kill -9 "$(guest_qemu killed)"
guest_wait killed >/dev/null
check "and leaves nothing" wait_for 60 nothing_left "$wild"

guest_start next "$wild" "gem_test store_rcs store_bcs store_vcs store_vecs"
guest_go next
check "the next guest works there" guest_wait next

touch /out/calm/stop
check "the neighbour has not noticed" guest_wait calm
check "its log is clean" guest_log_clean calm
check "and it leaves nothing" nothing_left "$calm"
vgpu_remove "$calm"
vgpu_remove "$wild"
check "the host's log is clean" log_clean
tap_done

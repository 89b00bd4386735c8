#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest is not affected by the failures of others: one hangs, one is destroyed in mid-batch, one
# is reset, the QEMU of one is killed.
set -u
. "$(dirname "$0")/lib.sh"

virsh() { command virsh -q -c qemu:///system "$@"; }

# hanging UUID: its time on rcs0 has grown by 300 ms since busy was read. i915's start takes a few
# ms, so it is in a batch that does not end
hanging() {
	(($(rcs_busy "$1") > busy + 300000000))
}

# Endless batches, each of which i915 cancels after some seconds: the guest is at work whenever
# something is done to it.
hang='while :; do gem_test hang_rcs; done'

# in_mid_batch NAME UUID: let the guest start such batches, and wait until the GPU is in one
in_mid_batch() {
	busy=$(rcs_busy "$2")
	guest_go "$1"
	check "$1: the GPU executes its batch" wait_for 300 hanging "$2"
}

calm=$(vgpu_create) || exit 1
wild=$(vgpu_create) || exit 1
guest_start calm "$calm" "while [ ! -e /out/stop ]; do
	gem_test --seed=9 --seconds=3 isolation store_rcs || exit
done"
guest_go calm

guest_start hangs "$wild" "gem_test hang_bcs store_bcs"
guest_go hangs
check "a guest that hangs recovers" guest_wait hangs
check "no resource of it is left" nothing_left "$wild"

guest_start destroyed "$wild" "$hang"
in_mid_batch destroyed "$wild"
check "a guest is destroyed in mid-batch" virsh destroy destroyed
guest_wait destroyed >/dev/null
check "no resource of it is left" nothing_left "$wild"

guest_start rebooted "$wild" \
	"test -e /out/again && exec gem_test store_bcs; touch /out/again; $hang"
in_mid_batch rebooted "$wild"
check "a guest is reset in mid-batch" virsh reset rebooted
check "the reset guest works again" guest_wait rebooted
check "no resource of it is left" nothing_left "$wild"

guest_start killed "$wild" "$hang"
in_mid_batch killed "$wild"
check "the QEMU of a guest is killed" kill -9 "$(guest_qemu killed)"
guest_wait killed >/dev/null
check "no resource of it is left" wait_for 60 nothing_left "$wild"

guest_start next "$wild" "gem_test store_rcs store_bcs store_vcs store_vecs"
guest_go next
check "the next guest on that vGPU works" guest_wait next

touch /out/calm/stop
check "the neighbour's tests pass" guest_wait calm
check "the neighbour's log is clean" guest_log_clean calm
check "no resource of the neighbour is left" nothing_left "$calm"
vgpu_remove "$calm"
vgpu_remove "$wild"
check "the host's log is clean" log_clean
tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest does not notice what becomes of its neighbours: one hangs, one is destroyed in
# mid-batch, one is reset, the QEMU of one is killed.
set -u
. "$(dirname "$0")/lib.sh"

virsh() { command virsh -q -c qemu:///system "$@"; }

calm=$(vgpu_create) || exit 1
wild=$(vgpu_create) || exit 1
guest_start calm "$calm" \
	"while [ ! -e /out/stop ]; do gem_test --seed=9 --seconds=3 isolation store_rcs || exit; done" \
	--timeout 1200

guest_start hangs "$wild" "gem_test hang_bcs store_bcs"
check "a guest that hangs recovers" guest_wait hangs
check "and leaves nothing" nothing_left "$wild"

guest_start destroyed "$wild" "gem_test hang_rcs"
sleep 3
check "a guest is destroyed in mid-batch" virsh destroy destroyed
guest_wait destroyed >/dev/null
check "and leaves nothing" nothing_left "$wild"

guest_start rebooted "$wild" \
	"test -e /out/again && exec gem_test store_bcs; touch /out/again; exec gem_test hang_rcs"
sleep 3
rm -f /out/rebooted/ready
check "a guest is reset in mid-batch" virsh reset rebooted
check "and works when it is back" guest_wait rebooted
check "and leaves nothing" nothing_left "$wild"

guest_start killed "$wild" "gem_test --seconds=60 isolation"
sleep 3
check "the QEMU of a guest is killed" kill -9 "$(guest_qemu killed)"
guest_wait killed >/dev/null
check "and leaves nothing" wait_for 10 nothing_left "$wild"

guest_start next "$wild" "gem_test store_rcs store_bcs store_vcs store_vecs"
check "the next guest works there" guest_wait next

touch /out/calm/stop
check "the neighbour has not noticed" guest_wait calm
check "its log is clean" guest_log_clean calm
check "and it leaves nothing" nothing_left "$calm"
vgpu_remove "$calm"
vgpu_remove "$wild"
check "the host's log is clean" log_clean
echo "1..$n"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two and three guests at once: each works on all engines, none sees another's memory.
set -u
. "$(dirname "$0")/lib.sh"

work='gem_test store_rcs store_bcs store_vcs store_vecs fill copy gtt_mmap contexts parallel'
declare -A uuid
for i in 1 2 3; do
	uuid[$i]=$(vgpu_create) || exit 1
done

for i in 1 2; do
	guest_start "two-$i" "${uuid[$i]}" "$work && gem_test --seed=$i --seconds=5 isolation"
done
for i in 1 2; do
	check "two guests: guest $i" guest_wait "two-$i"
done
for i in 1 2 3; do
	guest_start "three-$i" "${uuid[$i]}" "gem_test --seed=$i --seconds=20 isolation && $work"
done
for i in 1 2 3; do
	check "three guests: guest $i" guest_wait "three-$i"
	check "three guests: nothing is left of guest $i" nothing_left "${uuid[$i]}"
done
for i in 1 2 3; do
	vgpu_remove "${uuid[$i]}"
done
check "the host's log is clean" log_clean
echo "1..$n"

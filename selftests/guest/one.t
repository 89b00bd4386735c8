#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One guest on a vGPU: its stock i915 passes what the native one passes, in 6.12 and in 6.1.
set -u
. "$(dirname "$0")/lib.sh"

uuid=$(vgpu_create) || exit 1
for kernel in 6.12 6.1; do
	guest_start "one-$kernel" "$uuid" \
		"dmesg >/out/probe; gem_test --skip=hang_rcs --skip=hang_bcs" --kernel "$kernel"
	check "Linux $kernel: gem_test" guest_wait "one-$kernel"
	check "Linux $kernel: the guest's log is clean" guest_log_clean "one-$kernel"
	check "Linux $kernel: nothing is left" nothing_left "$uuid"
done
echo "# $(vgpu_state "$uuid" 'register reads') register reads," \
     "$(vgpu_state "$uuid" 'register writes') writes," \
     "$(vgpu_state "$uuid" 'submissions') submissions"
check "the vGPU goes away" vgpu_remove "$uuid"
check "the host's log is clean" log_clean
echo "1..$n"

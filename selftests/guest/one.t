#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One guest on a vGPU: its stock i915 of 6.12 and of 6.1 passes the tests that a native one passes,
# and the module refuses and drops nothing. The newest kernel's i915 draws the same picture as the
# processor. GUESTS in the environment selects the kernels.
set -u
. "$(dirname "$0")/lib.sh"

# one KERNEL COMMAND: run COMMAND in a guest, and check the module's counters
one() {
	local name=one-$1

	guest_start "$name" "$uuid" "$2; $hold" --kernel "$1"
	guest_go "$name"
	check "Linux $1: the guest completes its work" wait_for 600 guest_says "$name" "done"
	check "Linux $1: nothing was refused" nothing_refused "$uuid"
	check "Linux $1: no register was denied" none_denied "$uuid"
	guest_end "$name"
	check "Linux $1: the guest's tests pass" guest_wait "$name"
	check "Linux $1: its log is clean" guest_log_clean "$name"
	check "Linux $1: no resource is left" nothing_left "$uuid"
}

uuid=$(vgpu_create) || exit 1
for kernel in ${GUESTS-6.12 6.1 newest}; do
	if [[ $kernel == newest ]]; then
		one newest "gem_test store_rcs store_bcs &&
			gem_draw --picture 1 --out /out/picture.ppm"
		check "Linux newest: the picture is correct" guest_drew one-newest
	else
		one "$kernel" "gem_test --skip=hang_rcs --skip=hang_bcs"
	fi
done
echo "# $(vgpu_state "$uuid" 'register_reads') register reads," \
     "$(vgpu_state "$uuid" 'register_writes') writes," \
     "$(vgpu_state "$uuid" 'submissions') submissions"
check "no thread sees another context's residue" test "$(/gslot/tools/gpu get rcs0-residues)" = 0
check "the vGPU is removed" vgpu_remove "$uuid"
check "the host's log is clean" log_clean
tap_done

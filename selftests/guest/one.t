#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One guest on a vGPU: its stock i915 passes what the native one passes, in 6.12 and in 6.1, and the
# module refuses and drops nothing of it. The newest kernel's draws the picture that the processor draws.
# With GUESTS in the environment, only those kernels.
set -u
. "$(dirname "$0")/lib.sh"

# one KERNEL COMMAND: a guest, and what the module has to say of it
one() {
	local name=one-$1

	guest_start "$name" "$uuid" "$2; $hold" --kernel "$1"
	guest_go "$name"
	check "Linux $1: at its end" wait_for 600 guest_says "$name" "done"
	check "Linux $1: nothing was refused" nothing_refused "$uuid"
	check "Linux $1: no register was denied" none_denied "$uuid"
	guest_end "$name"
	check "Linux $1: the guest is content" guest_wait "$name"
	check "Linux $1: its log is clean" guest_log_clean "$name"
	check "Linux $1: nothing is left" nothing_left "$uuid"
}

uuid=$(vgpu_create) || exit 1
for kernel in ${GUESTS-6.12 6.1 newest}; do
	if [[ $kernel == newest ]]; then
		one newest "gem_test store_rcs store_bcs && gem_draw --picture 1 --out /out/picture.ppm"
		check "Linux newest: the picture" guest_drew one-newest
	else
		one "$kernel" "gem_test --skip=hang_rcs --skip=hang_bcs"
	fi
done
echo "# $(vgpu_state "$uuid" 'register_reads') register reads," \
     "$(vgpu_state "$uuid" 'register_writes') writes," \
     "$(vgpu_state "$uuid" 'submissions') submissions"
check "no thread found what another context left" test "$(/gslot/tools/gpu get rcs0-residues)" = 0
check "the vGPU goes away" vgpu_remove "$uuid"
check "the host's log is clean" log_clean
tap_done

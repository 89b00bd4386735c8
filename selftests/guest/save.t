#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest is saved by libvirt while its stock i915 works, and restored on another vGPU, MOVES times.
# It goes on where it was: each of its pictures is that of the processor, and all its tests pass.
set -u
. "$(dirname "$0")/migration.sh"

virsh() { command virsh -q -c qemu:///system "$@"; }

# restore_to UUID: the saved guest goes on, with that vGPU
restore_to() {
	virsh save-image-dumpxml /run/saved --security-info | with_vgpu "$1" >/run/domain.xml
	quiet virsh restore /run/saved --xml /run/domain.xml
}

uuids[0]=$(vgpu_create) && uuids[1]=$(vgpu_create) || exit 1
start_worker "${uuids[0]}" 2
check "the guest draws" draws
for ((i = 1; i <= ${MOVES:-3}; i++)); do
	to=${uuids[i % 2]}
	check "move $i: the guest is saved" quiet virsh save "$guest" /run/saved
	check "move $i: no resource is left" nothing_left "${uuids[(i + 1) % 2]}"
	check "move $i: it is restored on another vGPU" restore_to "$to"
	check "move $i: it draws" draws
	check "move $i: nothing was refused" nothing_refused "$to"
done
check_worker "${uuids[@]}"
tap_done

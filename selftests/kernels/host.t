#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module in a test host with another kernel (tools/vm --kernel): it loads, a guest's stock i915
# passes its tests on a vGPU (GUEST=no: without that), and everything is removed again.
set -u
. "$(dirname "$0")/../guest/lib.sh"

# passes TEST: a program of selftests/module passes, or does not apply
passes() { "/gslot/build/selftests/module/$1" >"/out/$1.log" 2>&1; }

# ran TEST: and it does apply
ran() { ! grep -q '^1\.\.0' "/out/$1.log"; }

# guest_passes: the stock i915 of a guest passes its tests on a vGPU, and all is left clean
guest_passes() {
	guest_start smoke "$uuid" "gem_test --skip=hang_rcs --skip=hang_bcs &&
		gem_draw --picture 1 --out /out/picture.ppm; $hold"
	guest_go smoke
	check "$host: the guest completes its work" wait_for 600 guest_says smoke "done"
	check "$host: nothing was refused" nothing_refused "$uuid"
	check "$host: no register was denied" none_denied "$uuid"
	guest_end smoke
	check "$host: the guest's tests pass" guest_wait smoke
	check "$host: its picture is correct" guest_drew smoke
	check "$host: the guest's log is clean" guest_log_clean smoke
	check "$host: no resource of it is left" nothing_left "$uuid"
	check "$host: no thread sees another context's residue" \
		test "$(/gslot/tools/gpu get rcs0-residues)" = 0
}

# no_types: the module has no files left in sysfs and debugfs
no_types() { [[ ! -e $TYPES && ! -e /sys/kernel/debug/gslot ]]; }

host="Linux $(uname -r)"
check "$host: the module loads" /gslot/tools/load-module
# Before Linux 6.10 VFIO has no inode of its own for a device's mappings.
check "$host: mappings" passes mappings
# Of Debian's kernels, Linux 6.1 alone has a dirty log of devices.
check "$host: the dirty log" passes mig_dirty
[[ $(uname -r) != 6.1.* ]] || check "$host: there is one" ran mig_dirty
# Before Linux 6.2 VFIO does not know MIG_DATA_SIZE.
check "$host: bad ioctls" passes bad_vfio
check "$host: migration" passes migrate
check "$host: migration has been tested" ran migrate
uuid=$(vgpu_create) || exit 1
[[ ${GUEST-} == no ]] || guest_passes
check "$host: the vGPU is removed" vgpu_remove "$uuid"
check "$host: the module unloads" rmmod gslot
check "$host: unloading leaves no file in sysfs or debugfs" no_types
check "$host: the host's log is clean" log_clean
tap_done

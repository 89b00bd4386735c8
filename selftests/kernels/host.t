#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module in a test host of another kernel (tools/vm --kernel): it loads, a guest's stock i915
# draws on a vGPU, and all of it goes away again.
set -u
. "$(dirname "$0")/../guest/lib.sh"

# no_types: nothing of the module is left in sysfs and debugfs
no_types() { [[ ! -e $TYPES && ! -e /sys/kernel/debug/gslot ]]; }

host="Linux $(uname -r)"
check "$host: the module loads" /gslot/tools/load-module
uuid=$(vgpu_create) || exit 1
guest_start smoke "$uuid" \
	"gem_test store_rcs store_bcs && gem_draw --picture 1 --out /out/picture.ppm; $hold"
guest_go smoke
check "$host: the guest comes to its end" wait_for 600 guest_says smoke "done"
check "$host: nothing was refused" nothing_refused "$uuid"
guest_end smoke
check "$host: the guest is content" guest_wait smoke
check "$host: its picture" guest_drew smoke
check "$host: its log is clean" guest_log_clean smoke
check "$host: nothing is left of it" nothing_left "$uuid"
check "$host: the vGPU goes away" vgpu_remove "$uuid"
check "$host: the module unloads" rmmod gslot
check "$host: and leaves nothing" no_types
check "$host: its log is clean" log_clean
tap_done

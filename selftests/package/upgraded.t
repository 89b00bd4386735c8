#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same host after the package was upgraded: the guest that was saved before goes on, with the
# new module. Each of its pictures is that of the processor, and all its tests pass.
set -u
. "$(dirname "$0")/../guest/migration.sh"

uuid=11111111-7a55-4d4e-9a0b-3f1f5a1c0001
loaded() { [[ $(</sys/module/gslot/version) == "$1" ]]; }

# restored: the saved guest goes on. Of its folder only what it writes from now on is of interest.
restored() {
	mkdir -p "$out"
	quiet virsh -q -c qemu:///system restore /var/tmp/saved
}

check "gslot-bind --now" gslot-bind --now
check "the module is the new one" loaded "$(sed -n 1p /out/version)"
check "mdevctl starts the vGPU" wait_for 600 test -e "/sys/bus/mdev/devices/$uuid"
check "the guest is restored" restored
check "it draws" draws
check "nothing was refused" nothing_refused "$uuid"
check_worker "$uuid"
tap_done

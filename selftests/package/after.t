#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same host after a reboot: gslot has the GPU, the vGPUs exist, a guest draws; another one is
# saved while it draws; then i915 gets the GPU back.
set -u
. "$(dirname "$0")/../guest/migration.sh"

GPU=0000:00:02.0
uuid1=11111111-7a55-4d4e-9a0b-3f1f5a1c0001
uuid2=$(sed -n 's|.*<uuid>\(.*\)</uuid>.*|\1|p' "$(dirname "$0")/../../libvirt-xml/gslot-mdev.xml")
has_driver() { [[ $(basename "$(realpath "/sys/bus/pci/devices/$GPU/driver")") == "$1" ]]; }
no_rule() { [[ ! -e /etc/udev/rules.d/70-gslot-bind.rules ]]; }

check "gslot has the GPU" wait_for 600 has_driver gslot
check "mdevctl's vGPU exists" wait_for 600 test -e "/sys/bus/mdev/devices/$uuid1"
check "libvirt's vGPU exists" wait_for 600 test -e "/sys/bus/mdev/devices/$uuid2"

guest_start smoke "$uuid1" "gem_draw --picture 1 --out /out/picture.ppm; $hold"
guest_go smoke
check "a guest completes its work" wait_for 600 guest_says smoke "done"
check "nothing was refused" nothing_refused "$uuid1"
guest_end smoke
check "the guest's tests pass" guest_wait smoke
check "its picture is correct" guest_drew smoke

start_worker "$uuid1" 4
check "another guest draws" draws
check "it is saved" quiet virsh -q -c qemu:///system save "$guest" /var/tmp/saved
check "no resource of it is left" wait_for 10 nothing_left "$uuid1"

check "mdevctl stops the vGPU" mdevctl stop --uuid "$uuid1"
check "mdevctl stops libvirt's vGPU" mdevctl stop --uuid "$uuid2"
check "gslot-bind --release" gslot-bind --release
check "i915 has the GPU" has_driver i915
check "the udev rule is removed" no_rule
check "the module unloads" rmmod gslot
check "the host's log is clean" log_clean
tap_done

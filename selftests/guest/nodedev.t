#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A vGPU as a node device of libvirt: made and destroyed, and defined for good.
set -u
. "$(dirname "$0")/lib.sh"

xml=$(dirname "$0")/../../libvirt-xml/gslot-mdev.xml
uuid=$(sed -n 's|.*<uuid>\(.*\)</uuid>.*|\1|p' "$xml")
node=mdev_${uuid//-/_}_0000_00_02_0

virsh() { command virsh -q -c qemu:///system "$@"; }
there() { [[ -e $DEBUGFS/$uuid ]]; }
gone() { ! there; }
listed() { virsh nodedev-list "$@" | grep -qx "$node"; }

# libvirt learns of devices from udev.
/lib/systemd/systemd-udevd --daemon 2>/dev/null
[[ -S /run/libvirt/libvirt-sock ]] || libvirtd --daemon
wait_for 20 virsh nodedev-dumpxml pci_0000_00_02_0 >/run/parent.xml
check "libvirt knows the GPU's types" grep -q "<type id='gslot-L64-H384'>" /run/parent.xml

check "nodedev-create" virsh nodedev-create "$xml"
check "the vGPU is there" there
check "libvirt lists it" wait_for 20 listed --cap mdev
check "nodedev-destroy" virsh nodedev-destroy "$node"
check "the vGPU is gone" gone

check "nodedev-define" virsh nodedev-define "$xml"
check "which alone makes none" gone
check "nodedev-start" virsh nodedev-start "$node"
check "the vGPU is there" there
check "nodedev-destroy" virsh nodedev-destroy "$node"
check "the vGPU is gone, its definition is not" listed --inactive
check "nodedev-undefine" virsh nodedev-undefine "$node"
check "the host's log is clean" log_clean
tap_done

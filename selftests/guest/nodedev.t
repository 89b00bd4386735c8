#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A vGPU as a node device of libvirt: created and destroyed, and defined persistently.
set -u
. "$(dirname "$0")/lib.sh"

xml=$(dirname "$0")/../../libvirt-xml/gslot-mdev.xml
uuid=$(sed -n 's|.*<uuid>\(.*\)</uuid>.*|\1|p' "$xml")
node=mdev_${uuid//-/_}_0000_00_02_0

virsh() { command virsh -q -c qemu:///system "$@"; }
there() { [[ -e $DEBUGFS/$uuid ]]; }
gone() { ! there; }
is() { [[ $1 == "$2" ]]; }
KNOBS=/sys/bus/mdev/devices/$uuid/gslot
listed() { virsh nodedev-list "$@" | grep -qx "$node"; }
unlisted() { ! listed "$@"; }

# libvirt learns of devices from udev, with a delay, even of those that it creates itself.
/lib/systemd/systemd-udevd --daemon 2>/dev/null
[[ -S /run/libvirt/libvirt-sock ]] || libvirtd --daemon
wait_for 60 virsh nodedev-dumpxml pci_0000_00_02_0 >/run/parent.xml
check "libvirt knows the GPU's types" grep -q "<type id='gslot-L64-H384'>" /run/parent.xml

check "nodedev-create" virsh nodedev-create "$xml"
check "the vGPU exists" there
check "libvirt lists it" wait_for 60 listed --cap mdev
check "nodedev-destroy" virsh nodedev-destroy "$node"
check "the vGPU is gone" gone
check "libvirt does not list it any more" wait_for 60 unlisted --cap mdev

check "nodedev-define" virsh nodedev-define "$xml"
check "the definition alone creates no vGPU" gone
check "nodedev-start" virsh nodedev-start "$node"
check "the vGPU exists" there
check "libvirt lists it" wait_for 60 listed --cap mdev
check "nodedev-destroy" virsh nodedev-destroy "$node"
check "the vGPU is gone" gone
check "the definition remains" wait_for 60 listed --inactive
check "nodedev-undefine" virsh nodedev-undefine "$node"

# Its share of the GPU is a part of its definition.
sed "s|</uuid>|&<attr name='gslot/cap' value='250'/><attr name='gslot/weight' value='200'/>|" \
	"$xml" >/run/share.xml
check "nodedev-define with attributes" virsh nodedev-define /run/share.xml
check "nodedev-start" virsh nodedev-start "$node"
check "libvirt lists it" wait_for 60 listed --cap mdev
check "the vGPU has its cap" is 250 "$(<"$KNOBS/cap")"
check "the vGPU has its weight" is 200 "$(<"$KNOBS/weight")"
check "mdevctl adds an attribute" mdevctl modify -u "$uuid" --addattr=gslot/stop --value=1
check "nodedev-destroy" virsh nodedev-destroy "$node"
check "mdevctl starts it" mdevctl start -u "$uuid"
check "the vGPU has its cap again" is 250 "$(<"$KNOBS/cap")"
check "the vGPU has the added attribute" is 1 "$(<"$KNOBS/stop")"
check "mdevctl stops it" mdevctl stop -u "$uuid"
check "nodedev-undefine" virsh nodedev-undefine "$node"
check "the host's log is clean" log_clean
tap_done

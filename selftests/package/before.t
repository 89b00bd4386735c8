#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A host with the package installed (see tools/checks/package): it leaves the GPU to i915 until
# gslot-bind gives it to gslot, which persists over a reboot.
set -u
. "$(dirname "$0")/../guest/lib.sh"

GPU=0000:00:02.0
driver() { basename "$(realpath "/sys/bus/pci/devices/$GPU/driver")"; }
has_driver() { [[ $(driver) == "$1" ]]; }
not_loaded() { [[ ! -e /sys/module/gslot ]]; }
says() { echo "$output" | grep -q "$1"; }
# man_has NAME SECTION WORDS: its page is in that section, and contains WORDS
man_has() {
	output=$(man -w "$1" && MANWIDTH=200 man "$2" "$1" 2>&1)
	! says "/man$2/$1[.]$2" || ! says "$3" || return 0
	echo "$output" | head -n 20 | sed 's/^/# /'
	return 1
}

check "i915 has the GPU" wait_for 600 has_driver i915
check "gslot is not loaded" not_loaded
output=$(gslot-bind --list)
check "gslot-bind --list shows i915" says "^$GPU .*driver i915, at the next boot as Linux chooses"
output=$(gslot-bind 0000:00:1f.0 2>&1)
check "gslot-bind refuses a device that is no GPU" says "0000:00:1f.0 is not an Intel GPU"
output=$(gslot-bind 1234:00:02.0 2>&1)
check "gslot-bind refuses a device that does not exist" says "no PCI device 1234:00:02.0"
output=$(gslot-top --json -n 1 2>&1)
result $(($? != 1)) "gslot-top fails without a GPU of gslot"
check "gslot-top says that gslot drives no GPU" says "gslot drives no GPU"
check "man finds gslot-top" man_has gslot-top 1 "show which vGPUs use the GPU"
check "man finds gslot-stream" man_has gslot-stream 1 "print a saved migration stream"
stream=$(dirname "$0")/../stream/v1-gen9.stream
check "gslot-stream prints a stream" cmp "${stream%.stream}.txt" <(gslot-stream "$stream")
check "man finds gslot-bind" man_has gslot-bind 8 "give a GPU to gslot"
output=$(gslot-bind --once 2>&1)
check "gslot-bind --once leaves the GPU to i915" has_driver i915
check "gslot-bind --once names --now" says "belongs to i915; --now unbinds"

gslot-bind >/run/output 2>&1
result $(($? != 3)) "gslot-bind exits with 3: from the next boot on"
output=$(cat /run/output; gslot-bind --list)
check "gslot-bind says: from the next boot on" says "from the next boot on"
check "gslot-bind --list shows gslot for the next boot" says "driver i915, at the next boot gslot"
check "i915 still has the GPU" has_driver i915

uuid1=11111111-7a55-4d4e-9a0b-3f1f5a1c0001
check "mdevctl defines a vGPU that starts automatically" mdevctl define --auto --uuid "$uuid1" \
	--parent "$GPU" --type gslot-L64-H384
check "mdevctl lists it" grep -q "$uuid1" <(mdevctl list --defined)

mkdir -p /run/modprobe.d
echo 'install gslot /bin/false' >/run/modprobe.d/gslot.conf
output=$(gslot-bind --now 2>&1)
result $(($? != 1)) "gslot-bind --now fails if gslot does not load"
check "gslot-bind --now says that i915 has the GPU" \
	says "gslot does not take $GPU, which i915 has now"
check "i915 has the GPU again" has_driver i915
rm /run/modprobe.d/gslot.conf

check "gslot-bind --now" gslot-bind --now
check "gslot has the GPU" has_driver gslot
check "mdevctl starts its vGPU" wait_for 600 test -e "/sys/bus/mdev/devices/$uuid1"
output=$(gslot-top --json -n 1 -i 100 "$GPU" 2>&1)
check "gslot-top shows the vGPU" says "\"uuid\": \"$uuid1\""
output=$(gslot-bind --release 2>&1)
check "gslot-bind --release refuses while vGPUs exist" says "still has vGPUs.*$uuid1"
check "gslot still has the GPU" has_driver gslot

xml=$(dirname "$0")/../../libvirt-xml/gslot-mdev.xml
uuid2=$(sed -n 's|.*<uuid>\(.*\)</uuid>.*|\1|p' "$xml")
node=mdev_${uuid2//-/_}_0000_00_02_0
virsh() { command virsh -q -c qemu:///system "$@"; }
parent() { virsh nodedev-dumpxml pci_0000_00_02_0 | grep -q gslot-L64-H384; }
check "libvirt knows the GPU's types" wait_for 600 parent
check "libvirt defines another vGPU" virsh nodedev-define "$xml"
check "libvirt starts it automatically" virsh nodedev-autostart "$node"
check "the host's log is clean" log_clean
tap_done

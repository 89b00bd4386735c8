#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The test host sleeps (S3) while a guest's stock i915 works on a vGPU: the guest is not affected.
#
# 9p does not survive the sleep, so all programs used from then on, including this script and the
# guest's QEMU, run from a root file system in memory. libvirt is left out, as it has many parts.
set -u
RAM=/run/ram

# take PROGRAM...: copy it to the root in memory, with its libraries
take() {
	local file

	for file; do
		file=$(command -v "$file")
		cp --parents -L "$file" $RAM
		ldd "$file" 2>/dev/null | grep -o '/[^ ]*' | xargs -r cp --parents -Lt $RAM
	done
}

make_root() {
	mkdir -p $RAM/{proc,sys,dev,tmp,run,out/smoke} $RAM/usr/{bin,lib,lib64,sbin}
	cp -a /bin /lib /lib64 /sbin $RAM
	take bash cat cmp date dmesg grep ls mkdir rm sed sleep touch qemu-system-x86_64 \
		/gslot/build/clients/gem_draw
	cp -r --parents /usr/share/qemu/{kvmvapic,linuxboot_dma}.bin /usr/share/seabios \
		/gslot/build/guest/6.12 /gslot/selftests/{lib/tap,guest/lib}.sh "$0" $RAM
	mount --rbind /proc $RAM/proc
	mount --rbind /sys $RAM/sys
	mount --rbind /dev $RAM/dev
}

if [[ ! ${1-} ]]; then
	modprobe kvm_amd || modprobe kvm_intel
	make_root
	touch /run/slept
	exec chroot $RAM "$0" in-memory
fi

. /gslot/selftests/guest/lib.sh

# smoke_says WORD: see guest_says
smoke_says() {
	[[ -e /out/smoke/$1 ]] || kill -0 "$qemu" 2>/dev/null || return 2
	[[ -e /out/smoke/$1 ]]
}

# The command that libvirt makes of libvirt-xml/gslot-guest.xml.
start_guest() {
	printf '%s\n' "$1" >/out/smoke/command
	qemu-system-x86_64 -L /usr/share/qemu -L /usr/share/seabios \
		-machine q35,accel=kvm -cpu host -m 768 \
		-nodefaults -display none -no-reboot -serial file:/out/smoke/console.log \
		-kernel /gslot/build/guest/6.12/vmlinuz -initrd /gslot/build/guest/6.12/initramfs \
		-append 'console=ttyS0 quiet loglevel=5 mitigations=off' \
		-device "vfio-pci,sysfsdev=/sys/bus/mdev/devices/$uuid,addr=2.0" \
		-fsdev local,id=out,path=/out/smoke,security_model=passthrough \
		-device virtio-9p-pci,fsdev=out,mount_tag=out,addr=3.0 >/out/qemu.log 2>&1 &
	qemu=$!
}

# fall_asleep: suspend to RAM for some seconds; the RTC wakes the machine up
fall_asleep() {
	grep -qF '[deep]' /sys/power/mem_sleep &&
		echo 0 >/sys/class/rtc/rtc0/wakealarm &&
		echo +6 >/sys/class/rtc/rtc0/wakealarm &&
		echo mem >/sys/power/state
}

content() { grep -qx 0 /out/smoke/status || { sed 's/^/# /' /out/smoke/output; false; }; }
works_on() { (($(vgpu_state "$uuid" submissions) > before + 10)); }

uuid=$(vgpu_create) || exit 1
# Work before the sleep, work that is in progress meanwhile, and all tests of a guest afterwards.
# shellcheck disable=SC2016
start_guest '
	test -c /dev/dri/renderD128 || exit
	while [ ! -e /out/slept ]; do
		gem_test store_rcs store_bcs || exit
		touch /out/works
	done
	gem_test --skip=hang_rcs --skip=hang_bcs && gem_draw --picture 1 --out /out/picture.ppm'
check "the guest works" wait_for 600 smoke_says works
for turn in 1 2; do
	before=$(vgpu_state "$uuid" submissions)
	check "the host sleeps, round $turn" fall_asleep
	check "the guest continues to work" wait_for 300 works_on
done
touch /out/smoke/slept
check "the guest completes its work" wait_for 600 smoke_says status
wait "$qemu"
check "the guest's tests pass" content
/gslot/build/clients/gem_draw --cpu --picture 1 --out /tmp/picture.ppm
check "its picture is correct" cmp /out/smoke/picture.ppm /tmp/picture.ppm
check "nothing was refused" nothing_refused "$uuid"
check "the guest's log is clean" guest_log_clean smoke
check "no resource of it is left" nothing_left "$uuid"
check "the vGPU is removed" vgpu_remove "$uuid"
check "the host's log is clean" log_clean
tap_done
((tap_failed == 0))

# SPDX-License-Identifier: GPL-2.0
# Shared by the tests of whole guests: TAP, vGPUs, and guests that run at the same time.
# shellcheck shell=bash

TYPES=/sys/class/mdev_bus/0000:00:02.0/mdev_supported_types
DEBUGFS=/sys/kernel/debug/gslot/0000:00:02.0
n=0

# result STATUS NAME: a test's line
result() {
	n=$((n + 1))
	if (($1)); then echo "not ok $n - $2"; else echo "ok $n - $2"; fi
}

# check NAME COMMAND...: a test that passes if COMMAND does
check() {
	local name=$1 rc=0
	shift

	"$@" || rc=1
	result $rc "$name"
}

# vgpu_create [TYPE]: print the UUID of a new vGPU
vgpu_create() {
	local uuid

	uuid=$(</proc/sys/kernel/random/uuid)
	echo "$uuid" >"$TYPES/gslot-${1:-L64-H384}/create" && echo "$uuid"
}

vgpu_remove() {
	echo 1 >"/sys/bus/mdev/devices/$1/remove"
}

# vgpu_state UUID NAME: a line of its debugfs file
vgpu_state() {
	sed -n "s/^$2: //p" "$DEBUGFS/$1/state"
}

# nothing_left UUID: nobody has it open, and none of a guest's pages are pinned
nothing_left() {
	[[ $(vgpu_state "$1" open) == no && $(vgpu_state "$1" 'pinned pages') == 0 ]] ||
		{ sed 's/^/# /' "$DEBUGFS/$1/state"; false; }
}

# wait_for SECONDS COMMAND...: until COMMAND succeeds
wait_for() {
	local end=$((SECONDS + $1))
	shift

	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.2
	done
}

# guest_start NAME UUID COMMAND [OPTION]...: in the background; returns when its i915 is loaded.
# One guest after the other: i915 gives its first work 200 ms of time, which a processor that
# emulates two booting guests at once may not have.
guest_start() {
	local name=$1 uuid=$2 command=$3
	shift 3

	rm -rf "/out/$name"
	mkdir -p "/out/$name"
	/gslot/tools/guest --mdev "$uuid" --name "$name" "$@" -- \
		"touch /out/ready; $command" >"/out/$name.log" 2>&1 &
	guest_pid[$name]=$!
	wait_for 120 test -e "/out/$name/ready" || echo "# $name: did not get ready"
}
declare -A guest_pid

# guest_wait NAME: its exit code; what it printed, if it failed
guest_wait() {
	local rc=0

	wait "${guest_pid[$1]}" || rc=$?
	((rc == 0)) || sed "s/^/# $1: /" "/out/$1.log"
	return $rc
}

# guest_qemu NAME: the pid of its QEMU
guest_qemu() {
	cat "/run/libvirt/qemu/$1.pid"
}

# log_clean: the kernel has not complained
log_clean() {
	! dmesg | grep -E 'BUG:|WARNING:|Oops|general protection|Call Trace|INFO: task|lockup' |
		sed 's/^/# /' | grep .
}

# guest_log_clean NAME: nor has the guest's
guest_log_clean() {
	! grep -E 'BUG:|WARNING:|Oops|Call Trace|wedged|GPU HANG' "/out/$1/dmesg" |
		sed 's/^/# /' | grep .
}

# SPDX-License-Identifier: GPL-2.0
# Shared by the tests of whole guests: TAP, vGPUs, and guests that run at the same time.
# shellcheck shell=bash

. "${BASH_SOURCE[0]%/*}/../lib/tap.sh"
. "${BASH_SOURCE[0]%/*}/../lib/klog.sh"

TYPES=/sys/class/mdev_bus/0000:00:02.0/mdev_supported_types
DEBUGFS=/sys/kernel/debug/gslot/0000:00:02.0

# vgpu_create [TYPE]: print the UUID of a new vGPU
vgpu_create() {
	local uuid

	uuid=$(</proc/sys/kernel/random/uuid)
	echo "$uuid" >"$TYPES/gslot-${1:-L64-H384}/create" && echo "$uuid"
}

vgpu_remove() {
	echo 1 >"/sys/bus/mdev/devices/$1/remove"
}

# choose ATTRIBUTE NAME: set it for the GPU, and check that it is set
choose() {
	local file=/sys/bus/pci/devices/0000:00:02.0/gslot/$1

	echo "$2" >"$file" && grep -qF "[$2]" "$file"
}

# vgpu_state UUID NAME: print a line of its debugfs file
vgpu_state() {
	sed -n "s/^$2: //p" "$DEBUGFS/$1/state"
}

# nothing_left UUID: it is not open, and no page is pinned
nothing_left() {
	[[ $(vgpu_state "$1" open) == no && $(vgpu_state "$1" 'pinned_pages') == 0 ]] ||
		{ sed 's/^/# /' "$DEBUGFS/$1/state"; false; }
}

# wait_for SECONDS COMMAND...: wait until COMMAND succeeds; it returns 2 if it never will
wait_for() {
	local end=$((SECONDS + $1)) rc
	shift

	while :; do
		rc=0
		"$@" || rc=$?
		((rc)) || return 0
		((rc != 2 && SECONDS < end)) || return 1
		sleep 0.2
	done
}

# exec_state UUID NAME: print a line of its debugfs file "exec"
exec_state() {
	sed -n "s/^$2: //p" "$DEBUGFS/$1/exec"
}

# rcs_busy UUID: print its time on rcs0, in ns
rcs_busy() {
	sed -n 's/^rcs0_channel: busy_ns=\([0-9]*\).*/\1/p' "$DEBUGFS/$1/exec"
}

# guest_start NAME UUID COMMAND [OPTION]...: start a guest in the background; a test that passes
# when the guest's i915 is loaded. Then the guest waits for guest_go.
# One guest after the other: i915 waits 200 ms for its first work, which may take longer on a
# processor that emulates two booting guests.
guest_start() {
	local name=$1 uuid=$2 command=$3
	shift 3

	rm -rf "/out/$name"
	mkdir -p "/out/$name"
	/gslot/tools/guest --mdev "$uuid" --name "$name" "$@" -- \
		"test -c /dev/dri/renderD128 && touch /out/ready;" \
		"while [ ! -e /out/go ]; do sleep 0.1; done; $command" >"/out/$name.log" 2>&1 &
	guest_pid[$name]=$!
	check "$name is ready" wait_for 600 guest_says "$name" ready
}
declare -A guest_pid

# guest_says NAME WORD: it has created the file WORD in its /out; 2 if it has ended without that
guest_says() {
	[[ -e /out/$1/$2 ]] || kill -0 "${guest_pid[$1]}" 2>/dev/null || return 2
	[[ -e /out/$1/$2 ]]
}

# guest_go NAME...: let them start their commands
guest_go() {
	local name

	for name; do
		touch "/out/$name/go"
	done
}

# The end of a guest's COMMAND if its vGPU is inspected before the guest ends: creates the file
# done, and waits for guest_end.
# shellcheck disable=SC2034
hold='rc=$?; touch /out/done; while [ ! -e /out/end ]; do sleep 0.1; done; exit $rc'

guest_end() {
	touch "/out/$1/end"
}

# nothing_refused UUID: the module has refused nothing that the guest's i915 did, and knows all
# registers that it accessed
nothing_refused() {
	local line bad=0

	while read -r line; do
		case $line in
		'refused: 0'|'invalid_entries: 0'|'bad_entries: 0'|'unknown_registers: 0') ;;
		*)	echo "# $line"; bad=1 ;;
		esac
	done < <(grep -hE '^(refused|invalid_entries|bad_entries|unknown_registers): ' \
			"$DEBUGFS/$1"/{exec,ggtt,state})
	return $bad
}

# none_denied UUID: all registers in the guest's commands and images are its own, or known to be set
# by the host
none_denied() {
	echo "# $(exec_state "$1" denied) denied"
	[[ $(exec_state "$1" denied) == 0 ]]
}

# guest_wait NAME: return its exit code; print its output if it failed
guest_wait() {
	local rc=0

	wait "${guest_pid[$1]}" || rc=$?
	((rc == 0)) || sed "s/^/# $1: /" "/out/$1.log"
	return $rc
}

# guest_drew NAME: its picture 1 equals the processor's
guest_drew() {
	/gslot/build/clients/gem_draw --cpu --picture 1 --out /run/picture.ppm &&
		cmp "/out/$1/picture.ppm" /run/picture.ppm
}

# guest_qemu NAME: print the pid of its QEMU
guest_qemu() {
	cat "/run/libvirt/qemu/$1.pid"
}

# guest_log_clean NAME: the guest kernel's log has no error, and its i915 saw no hang
guest_log_clean() {
	[[ -s /out/$1/dmesg ]] || return
	log_clean "/out/$1/dmesg" &&
		! grep -E 'wedged|GPU HANG' "/out/$1/dmesg" | sed 's/^/# /' | grep .
}

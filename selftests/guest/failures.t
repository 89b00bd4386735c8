#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Migrations and saves that fail while the guest's stock i915 works: cancelled, the destination
# killed, the network cut, the disk full, in pre-copy and while the guest is stopped. The guest goes
# on where it was; each of its pictures is that of the processor, and all its tests pass. If the
# source is killed, the guest runs nowhere, and nothing of it is left.
set -u
. "$(dirname "$0")/migration.sh"

# source_virsh, destination_virsh COMMAND...
source_virsh() { virsh -q -c "${uris[0]}" "$@"; }
destination_virsh() { virsh -q -c "${uris[1]}" "$@"; }

# begin DOWNTIME: a migration begins, slowly; QEMU may stop the guest for so many ms
begin() {
	source_virsh migrate-setspeed "$guest" 8
	source_virsh migrate-setmaxdowntime "$guest" "$1"
	source_virsh dumpxml --migratable "$guest" | with_vgpu "${uuids[1]}" >/run/domain.xml
	source_virsh migrate --live "$guest" "${uris[1]}" --migrateuri tcp://127.0.0.1 \
		--listen-address 127.0.0.1 --xml /run/domain.xml >/run/migrate.log 2>&1 &
	migration=$!
}

# in_precopy: memory is being sent, and the guest runs
in_precopy() {
	kill -0 "$migration" 2>/dev/null || return 2
	source_virsh domjobinfo "$guest" | grep -q '^Data processed: *[1-9]' && runs
}

# is_stopped: the guest is stopped for the rest
is_stopped() {
	kill -0 "$migration" 2>/dev/null || return 2
	[[ $(source_virsh domstate "$guest") == paused ]]
}

runs() { [[ $(source_virsh domstate "$guest") == running ]]; }

# not COMMAND...: it fails
not() { ! "$@"; }

is_over() { ! kill -0 "$migration" 2>/dev/null; }

# has_failed: the migration ends, and says that it has failed
has_failed() { wait_for 120 is_over && ! wait "$migration" && sed 's/^/# /' /run/migrate.log; }

# is_not_at DAEMON: the guest is not there
is_not_at() { ! virsh -q -c "${uris[$1]}" list --name | grep -qx "$guest"; }

cancel() { source_virsh domjobabort "$guest"; }
kill_destination() { kill -KILL "$(</run/other/run/qemu/"$guest".pid)"; }
# data_waits: what QEMU has sent is not acknowledged
data_waits() { ss -Htn state established dst 127.0.0.1 | awk '$2 > 0 { n++ } END { exit !n }'; }

# QEMU does not notice: the administrator cancels.
cut_network() { ip link set lo down && wait_for 60 data_waits && cancel; }

# goes_on NAME: the guest runs at the source alone, and works
goes_on() {
	check "$1: it fails" has_failed
	ip link set lo up
	check "$1: the guest runs" wait_for 30 runs
	check "$1: it is not at the destination" wait_for 30 is_not_at 1
	check "$1: no resource is left there" wait_for 30 nothing_left "${uuids[1]}"
	check "$1: the guest draws" draws
}

# break_in PHASE NAME COMMAND: a migration is broken in pre-copy, or while the guest is stopped
break_in() {
	local phase=$1 name="$1, $2" downtime=1
	shift 2

	[[ $phase == pre-copy ]] || downtime=600000
	begin "$downtime"
	if [[ $phase == pre-copy ]]; then
		check "$name: a migration is under way" wait_for 120 in_precopy
	else
		check "$name: a migration is under way" wait_for 120 is_stopped
	fi
	check "$name: it is broken" quiet "$@"
	goes_on "$name"
}

uuids[0]=$(vgpu_create) && uuids[1]=$(vgpu_create) || exit 1
start_worker "${uuids[0]}" 8
check "the guest draws" draws
check "a second daemon starts" start_other
for phase in pre-copy stopped; do
	break_in "$phase" "cancelled" cancel
	break_in "$phase" "the destination is killed" kill_destination
done
# While the guest is stopped QEMU cannot be told to cancel: it waits until TCP gives up.
break_in pre-copy "the network is cut" cut_network
mkdir -p /run/small
mount -t tmpfs -o size=16M tmpfs /run/small
check "a full disk: the guest is not saved" not source_virsh save "$guest" /run/small/saved
umount /run/small
check "a full disk: the guest runs" wait_for 30 runs
check "a full disk: it draws" draws
check "nothing was refused" nothing_refused "${uuids[0]}"
check_worker "${uuids[@]}"

uuids[0]=$(vgpu_create) && uuids[1]=$(vgpu_create) || exit 1
start_worker "${uuids[0]}" 8
check "another guest draws" draws
begin 1
check "the source is killed: a migration is under way" wait_for 120 in_precopy
kill -KILL "$(guest_qemu "$guest")"
check "the source is killed: it fails" has_failed
for daemon in 0 1; do
	check "the source is killed: the guest is not at $daemon" wait_for 30 is_not_at "$daemon"
	check "the source is killed: no resource is left at $daemon" \
		wait_for 30 nothing_left "${uuids[daemon]}"
	check "the source is killed: the vGPU of $daemon is removed" vgpu_remove "${uuids[daemon]}"
done
check "the host's log is clean" log_clean
kill "$(</run/other/pid)"
tap_done

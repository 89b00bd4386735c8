#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest is migrated live while its stock i915 works, MOVES times to and fro between two libvirt
# daemons of one machine, by 'virsh migrate --live'. Each of its pictures is that of the processor,
# and all its tests pass.
set -u
. "$(dirname "$0")/migration.sh"

# The socket of each of the two daemons.
sockets=(/run/libvirt/libvirt-sock /run/other/sock/libvirt-sock)
uris=("${sockets[@]/#/qemu+unix:///system?socket=}")

# start_other: a second daemon, which takes itself for one of another machine
start_other() {
	mkdir -p /run/other/{sock,run,lib,log,etc}
	cp -a /var/lib/libvirt/. /run/other/lib/
	cp -a /etc/libvirt/. /run/other/etc/
	cat >>/run/other/etc/libvirtd.conf <<-END
		host_uuid = "$(</proc/sys/kernel/random/uuid)"
		unix_sock_dir = "/run/other/sock"
	END
	unshare --uts --mount --propagation private bash -c '
		hostname other
		mount --bind /run/other/run /run/libvirt
		mount --bind /run/other/lib /var/lib/libvirt
		mount --bind /run/other/log /var/log/libvirt
		mount --bind /run/other/etc /etc/libvirt
		exec libvirtd --daemon --pid-file /run/other/pid' &&
		wait_for 30 test -S "${sockets[1]}"
}

# migrate FROM TO UUID: the guest of daemon FROM goes to TO, with that vGPU. It may pause for
# seconds: the guest dirties memory about as fast as a processor of a test host copies it.
migrate() {
	virsh -q -c "${uris[$1]}" migrate-setmaxdowntime "$guest" 3000
	virsh -q -c "${uris[$1]}" dumpxml --migratable "$guest" | with_vgpu "$3" >/run/domain.xml
	quiet virsh -q -c "${uris[$1]}" migrate --live --auto-converge "$guest" "${uris[$2]}" \
		--migrateuri unix:///run/migrate.sock --xml /run/domain.xml
}

# downtime DAEMON: print that of the last migration to it
downtime() {
	virsh -q -c "${uris[$1]}" domjobinfo "$guest" --completed |
		sed -n 's/^Total downtime: */# downtime: /p'
}

uuids=("$(vgpu_create)" "$(vgpu_create)") || exit 1
# It has to work until the last move.
moves=${MOVES:-4}
start_worker "${uuids[0]}" $((2 + 2 * moves))
check "the guest draws" draws
check "a second daemon starts" start_other
for ((i = 1; i <= moves; i++)); do
	from=$(((i + 1) % 2)) to=$((i % 2))
	check "move $i: the guest is migrated" migrate "$from" "$to" "${uuids[to]}"
	((tap_failed == 0)) || break
	downtime "$to"
	check "move $i: no resource is left" wait_for 10 nothing_left "${uuids[from]}"
	check "move $i: it draws" draws
	check "move $i: nothing was refused" nothing_refused "${uuids[to]}"
done
check_worker "${uuids[@]}"
kill "$(</run/other/pid)"
tap_done

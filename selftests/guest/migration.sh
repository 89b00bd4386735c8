# SPDX-License-Identifier: GPL-2.0
# Shared by the tests that move a guest: a guest with a stock i915 that works all the time, and
# checks of what it did.
# shellcheck shell=bash

. "${BASH_SOURCE[0]%/*}/lib.sh"

# Not on 9p: the console is read while QEMU writes it byte by byte.
out=/run/moved
guest=moved

# start_worker UUID ROUNDS: a guest that draws picture 1 all the time and prints a checksum of each,
# and that passes the tests of gem_test meanwhile, so many times
start_worker() {
	rm -rf "$out"
	mkdir -p "$out"
	# shellcheck disable=SC2016
	/gslot/tools/guest --mdev "$1" --name "$guest" --out "$out" --append gslot.migratable -- \
		"rounds=$2"'
		{
			while [ ! -e /tmp/end ]; do
				gem_draw --picture 1 --out /tmp/picture.ppm || break
				echo "drew $(sha1sum </tmp/picture.ppm)" >/dev/ttyS0
			done
		} &
		rc=0
		while [ $rounds -gt 0 ]; do
			rounds=$((rounds - 1))
			gem_test --skip=hang_rcs --skip=hang_bcs || rc=$?
		done
		touch /tmp/end
		wait
		exit $rc' >/run/guest.log 2>&1 &
}

# drawn: print how often the guest has drawn its picture
drawn() { cat "$out/console.log" 2>/dev/null | grep -ac '^drew ' || :; }

# has_drawn N
has_drawn() { [[ $(drawn) -ge $1 ]]; }

# draws: it draws two more pictures
draws() {
	wait_for 300 has_drawn $(($(drawn) + 2)) && return
	tail -n 20 /run/guest.log | sed 's/^/# /'
	return 1
}

# quiet COMMAND...: its output only if it fails
quiet() {
	"$@" >/run/quiet.log 2>&1 && return
	sed 's/^/# /' /run/quiet.log
	tail -n 5 "/var/log/libvirt/qemu/$guest.log" | sed 's/^/# /'
	return 1
}

# with_vgpu UUID: the domain's XML on standard input, with that vGPU
with_vgpu() { sed "/<hostdev/,/<\/hostdev>/s/uuid='[^']*'/uuid='$1'/"; }

# all_equal: each picture of the guest is the processor's. A line that the guest has written in part
# to another host's file says nothing.
all_equal() {
	local right

	/gslot/build/clients/gem_draw --cpu --picture 1 --out /run/picture.ppm || return 1
	right=$(sha1sum </run/picture.ppm)
	tr -d '\r' <"$out/console.log" | grep -axE 'drew [0-9a-f]{40}  -' >/run/drawn &&
		[[ $right ]] && ! grep -vxF "drew $right" /run/drawn | sed 's/^/# /' | grep .
}

# succeeded: the guest's command did; its output if not
succeeded() {
	[[ $(<"$out/status") == 0 ]] || { sed 's/^/# /' "$out/output"; return 1; }
}

# check_worker UUID...: what it has done, and what is left of it
check_worker() {
	local uuid

	check "the guest ends" wait_for 1200 test -s "$out/status"
	check "its tests pass" succeeded
	check "its pictures are correct" all_equal
	echo "# $(drawn) pictures"
	ln -sfn "$out" "/out/$guest"
	check "its log is clean" guest_log_clean "$guest"
	for uuid; do
		check "the guest has powered off" wait_for 60 nothing_left "$uuid"
		check "the vGPU is removed" vgpu_remove "$uuid"
	done
	check "the host's log is clean" log_clean
}

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

# How the guest migrates, and for how long it may pause, in ms: it dirties memory about as fast as a
# processor of a test host copies it.
how=(--live --auto-converge)
max_downtime=${MAX_DOWNTIME:-3000}

# migrate_to URI FROM UUID [OPTION]...: the guest goes to the daemon URI from the daemon FROM, with
# that vGPU
migrate_to() {
	virsh -q -c "$2" migrate-setmaxdowntime "$guest" "$max_downtime"
	virsh -q -c "$2" dumpxml --migratable "$guest" | with_vgpu "$3" >/run/domain.xml
	quiet virsh -q -c "$2" migrate "${how[@]}" "$guest" "$1" \
		--xml /run/domain.xml "${@:4}"
}

# migrate FROM TO UUID [OPTION]...: it goes from one of the two daemons to the other
migrate() {
	migrate_to "${uris[$2]}" "${uris[$1]}" "$3" --migrateuri unix:///run/migrate.sock "${@:4}"
}

# downtime URI: print that of the last migration to that daemon
downtime() {
	virsh -q -c "$1" domjobinfo "$guest" --completed |
		sed -n 's/^Total downtime: */# downtime: /p'
}

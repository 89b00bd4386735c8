# SPDX-License-Identifier: GPL-2.0
# Shared by the tests with two test hosts (tools/vm-pair): their network, and commands in the other.
# shellcheck shell=bash

. "${BASH_SOURCE[0]%/*}/../guest/migration.sh"

# Both test hosts have this folder. Its file "end" says that one of them has ended.
shared=/run/shared

# join NAME: this test host is NAME, loads the module, and has libvirt listen to the other
join() {
	mkdir -p $shared "$out" &&
		mount -t 9p -o trans=virtio,version=9p2000.L,cache=none shared $shared &&
		hostname "$1" &&
		printf '10.0.0.%d %s\n' 1 north 2 south >>/etc/hosts &&
		modprobe virtio_net &&
		ip address add "$(sed -n "s|\(.*\) $1\$|\1/24|p" /etc/hosts)" dev "$(network)" &&
		ip link set "$(network)" up &&
		/gslot/tools/load-module &&
		cp /gslot/libvirt-xml/qemu.conf /etc/libvirt/qemu.conf &&
		cat >>/etc/libvirt/libvirtd.conf <<-END &&
			host_uuid = "$(</proc/sys/kernel/random/uuid)"
			listen_tls = 0
			listen_tcp = 1
			auth_tcp = "none"
		END
		libvirtd --daemon --listen
}

# network: print the name of the network's device
network() { basename /sys/bus/virtio/drivers/virtio_net/virtio*/net/*; }

# serve: run what 'at south' asks for, until north ends
serve() {
	local rc

	while [[ ! -e $shared/end ]]; do
		if [[ -e $shared/command ]]; then
			mv $shared/command /run/command
			rc=0
			(. /run/command) >$shared/output 2>&1 || rc=$?
			echo $rc >$shared/status.new
			mv $shared/status.new $shared/status
		fi
		sleep 0.5
	done
}

# at HOST COMMAND...: run it, a function perhaps, in that test host: its output and exit code; 125
# if the test host has ended
at() {
	local host=$1 rc
	shift

	if [[ $host == "$(hostname)" ]]; then
		"$@"
		return
	fi
	printf '%q ' "$@" >$shared/command.new
	mv $shared/command.new $shared/command
	until rc=$(cat $shared/status 2>/dev/null) && [[ $rc ]]; do
		[[ ! -e $shared/end ]] || { echo "# $host has ended"; return 125; }
		sleep 0.2
	done
	rm $shared/status
	cat $shared/output
	return "$rc"
}

# Of Debian's kernels Linux 6.1 alone has dirty logs of devices.
has_log() { [[ $(uname -r) == 6.1.* ]]; }

# follow_log: from now on the reports of dirty logs are traced
follow_log() {
	echo >/sys/kernel/tracing/trace &&
		echo 1 >/sys/kernel/tracing/events/gslot/gslot_dirty_log/enable
}

# log_was_used UUID: QEMU has asked the vGPU's dirty log, which had pages
log_was_used() { grep -q "gslot_dirty_log: $1 .*: pages=[1-9].* ok" /sys/kernel/tracing/trace; }

# start_hostile SEED: start a process with a vGPU of its own that acts as a hostile guest, until
# stop_hostile. Left out: what needs an administrator, and "slow", which needs its parent.
start_hostile() {
	local uuid kind=() k

	uuid=$(vgpu_create) || return
	echo "$uuid" >/run/hostile.uuid
	for k in policy share resize slow; do
		kind+=(-x "$k")
	done
	rm -f /run/hostile.status
	# Its parent is not the calling shell, at whose end it would be killed.
	setsid bash -c "
		/gslot/build/selftests/module/hostile -c $uuid -s $1 ${kind[*]} &
		echo \$! >/run/hostile.pid
		wait \$!
		echo \$? >/run/hostile.status" >/run/hostile.log 2>&1 </dev/null &
	wait_for 60 hostile_goes_on 0
}

# hostile_goes_on N: it has submitted more than N times
hostile_goes_on() {
	local n

	n=$(sed -n 's/^submissions: //p' "$DEBUGFS/$(</run/hostile.uuid)/exec")
	((${n:-0} > $1))
}

# stop_hostile: it still runs, and leaves nothing
stop_hostile() {
	local uuid exec
	uuid=$(</run/hostile.uuid)
	exec=$DEBUGFS/$uuid/exec

	grep -E '^(submissions|refused): ' "$exec" | sed 's/^/# hostile: /'
	if [[ -e /run/hostile.status ]] ||
	   ! wait_for 60 hostile_goes_on "$(sed -n 's/^submissions: //p' "$exec")"; then
		tail -n 5 /run/hostile.log | sed 's/^/# /'
		return 1
	fi
	kill -9 "$(</run/hostile.pid)" &&
		wait_for 60 nothing_left "$uuid" && vgpu_remove "$uuid"
}

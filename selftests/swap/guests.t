#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two guests with a stock i915 map more graphics memory in sum than the host has. They draw into all
# of it twice, and check a sixteenth of its pages after each time. The host swaps what their GPU
# programs do not use: none is killed, nothing is lost.
#
# Needs a test host with little memory, and a disk of its own, named in SWAP_DISK, which is erased.
set -u
. "$(dirname "$0")/../guest/lib.sh"

# Of each guest
spaces=40 mb=64

# vmstat NAME: print a counter of the host's memory management
vmstat() { sed -n "s/^$1 //p" /proc/vmstat; }

host_mb=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024))
all_mb=$((2 * spaces * mb))

# pins_at_most MB: vGPUs have no more pinned
pins_at_most() {
	local id pages=0

	for id in "${uuid[@]}"; do
		pages=$((pages + $(vgpu_state "$id" pinned_pages)))
	done
	((pages / 256 > most_mb)) && most_mb=$((pages / 256))
	((pages / 256 <= $1))
}

# all_done: both guests are done; 2 if one has ended before that
all_done() {
	# What GGTTs name is pinned in any case: a few MB.
	pins_at_most $((max_mb + 16)) || high=1
	[[ -e /out/a/done && -e /out/b/done ]] && return
	kill -0 "${guest_pid[a]}" && kill -0 "${guest_pid[b]}" || return 2
	return 1
}

check "the host has less memory than two thirds of what its guests map" \
	test $((host_mb * 3)) -le $((all_mb * 2))
check 'it swaps' eval 'mkswap "$SWAP_DISK" >/dev/null && swapon "$SWAP_DISK"'
max_mb=$(</sys/bus/pci/devices/0000:00:02.0/gslot/pinned_max_mb)
most_mb=0 high=0
declare -A uuid
for name in a b; do
	uuid[$name]=$(vgpu_create) || exit 1
	guest_start "$name" "${uuid[$name]}" \
		"gem_memory --spaces=$spaces --mb=$mb --every=16 --seed=${#uuid[@]}; $hold" \
		--mem $((spaces * mb + 640)) --timeout 3000
done
before=$(vmstat pswpout)
guest_go a b
check "both guests come to the end of their work on $all_mb MB" wait_for 2800 all_done
swapped=$((($(vmstat pswpout) - before) / 256))
echo "# $host_mb MB of memory, $swapped MB swapped, $most_mb of $max_mb MB pinned, $SECONDS s"
check 'the host has swapped' test "$swapped" -ge $((all_mb - host_mb))
check 'no more was pinned than may be' test "$high" = 0
for name in a b; do
	check "nothing of guest $name was refused" nothing_refused "${uuid[$name]}"
	guest_end "$name"
	check "guest $name has found what it drew" guest_wait "$name"
	check "no resource of guest $name is left" nothing_left "${uuid[$name]}"
	vgpu_remove "${uuid[$name]}"
done
check 'no process was killed for memory' test "$(vmstat oom_kill)" = 0
check "the host's log is clean" log_clean
tap_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest is migrated live between two test hosts (tools/vm-pair) while its stock i915 works, MOVES
# times, to and fro. Each of its pictures is that of the processor, and all its tests pass. With
# HOSTILE=SEED each test host also runs a hostile process.
set -u
. "$(dirname "$0")/lib.sh"

# move FROM TO UUID: the guest goes from a test host to the other, with that vGPU there
move() { at "$1" migrate_to "qemu+tcp://$2/system" qemu:///system "$3"; }

# An even number: what the guest writes at the end is in north.
moves=${MOVES:-4}
hosts=(north south)
check "south: another copy policy" at south choose copy_policy demand
uuids[0]=$(vgpu_create) && uuids[1]=$(at south vgpu_create) || exit 1
if [[ ${HOSTILE-} ]]; then
	for host in "${hosts[@]}"; do
		check "$host: a hostile process begins" at "$host" start_hostile "$HOSTILE"
	done
fi
start_worker "${uuids[0]}" $((2 + 2 * moves))
check "the guest draws" draws
for ((i = 1; i <= moves; i++)); do
	from=$(((i + 1) % 2)) to=$((i % 2))
	at "${hosts[from]}" follow_log
	check "move $i: to ${hosts[to]}" move "${hosts[from]}" "${hosts[to]}" "${uuids[to]}"
	((tap_failed == 0)) || break
	at "${hosts[to]}" downtime qemu:///system
	if at "${hosts[from]}" has_log; then
		check "move $i: QEMU uses the dirty log" \
			at "${hosts[from]}" log_was_used "${uuids[from]}"
	else
		skip "move $i: QEMU uses the dirty log" "this kernel has none for devices"
	fi
	check "move $i: no resource is left in ${hosts[from]}" \
		at "${hosts[from]}" wait_for 10 nothing_left "${uuids[from]}"
	check "move $i: it draws" at "${hosts[to]}" draws
	check "move $i: nothing was refused" at "${hosts[to]}" nothing_refused "${uuids[to]}"
done
if [[ ${HOSTILE-} ]]; then
	for host in "${hosts[@]}"; do
		check "$host: the hostile process has run, and leaves nothing" \
			at "$host" stop_hostile
	done
fi
check_worker "${uuids[0]}"
check "south: its pictures are correct" at south all_equal
check "south: no resource is left" at south nothing_left "${uuids[1]}"
check "south: the vGPU is removed" at south vgpu_remove "${uuids[1]}"
check "south: the log is clean" at south log_clean
tap_done

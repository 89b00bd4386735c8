#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest is migrated live while its stock i915 works, MOVES times to and fro between two libvirt
# daemons of one machine, by 'virsh migrate --live'. Each of its pictures is that of the processor,
# and all its tests pass.
set -u
. "$(dirname "$0")/migration.sh"

uuids[0]=$(vgpu_create) && uuids[1]=$(vgpu_create) || exit 1
# It has to work until the last move.
moves=${MOVES:-4}
start_worker "${uuids[0]}" $((2 + 2 * moves))
check "the guest draws" draws
check "a second daemon starts" start_other
for ((i = 1; i <= moves; i++)); do
	from=$(((i + 1) % 2)) to=$((i % 2))
	check "move $i: the guest is migrated" migrate "$from" "$to" "${uuids[to]}"
	((tap_failed == 0)) || break
	downtime "${uris[to]}"
	check "move $i: no resource is left" wait_for 10 nothing_left "${uuids[from]}"
	check "move $i: it draws" draws
	check "move $i: nothing was refused" nothing_refused "${uuids[to]}"
done
check_worker "${uuids[@]}"
kill "$(</run/other/pid)"
tap_done

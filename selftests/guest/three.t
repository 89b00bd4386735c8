#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two and three guests at once: each works on all engines, and none sees another's memory.
set -u
. "$(dirname "$0")/lib.sh"

work='gem_test store_rcs store_bcs store_vcs store_vecs fill copy gtt_mmap contexts parallel'
declare -A uuid
for i in 1 2 3; do
	uuid[$i]=$(vgpu_create) || exit 1
done

# turns_more COUNT: each vGPU has had COUNT turns since turns was read
turns_more() {
	local i

	for i in "${!turns[@]}"; do
		(($(exec_state "${uuid[$i]}" turns) >= turns[i] + $1)) || return 1
	done
}

# none_done NAME...: all guests are still at work
none_done() {
	local name

	for name; do
		[[ ! -e /out/$name/done ]] && kill -0 "${guest_pid[$name]}" || return 1
	done
}

# at_once NAME COMMAND COUNT: run COMMAND in COUNT guests NAME-I at the same time: all start when
# all are ready, and are scheduled in turn before the first is done
at_once() {
	local name=$1 command=$2 i
	local -a names=()
	declare -ga turns=()

	for ((i = 1; i <= $3; i++)); do
		guest_start "$name-$i" "${uuid[$i]}" \
			"gem_test --seed=$i --seconds=10 isolation && $command; $hold"
		names+=("$name-$i")
	done
	for ((i = 1; i <= $3; i++)); do
		turns[i]=$(exec_state "${uuid[$i]}" turns)
	done
	guest_go "${names[@]}"
	check "$name guests: each has 10 turns" wait_for 600 turns_more 10
	check "$name guests: none is done before that" none_done "${names[@]}"
	for ((i = 1; i <= $3; i++)); do
		check "$name guests: guest $i completes its work" \
			wait_for 600 guest_says "$name-$i" "done"
		check "$name guests: nothing of guest $i was refused" nothing_refused "${uuid[$i]}"
		guest_end "$name-$i"
		check "$name guests: the tests of guest $i pass" guest_wait "$name-$i"
		check "$name guests: no resource of guest $i is left" nothing_left "${uuid[$i]}"
	done
}

at_once two "$work" 2
at_once three "$work" 3
for i in 1 2 3; do
	vgpu_remove "${uuid[$i]}"
done
check "the host's log is clean" log_clean
tap_done

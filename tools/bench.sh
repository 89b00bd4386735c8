# SPDX-License-Identifier: GPL-2.0
# Shared by the benchmarks: checks that the machine is idle, and logs each measurement.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/tests.sh"

# Times are meaningful only on an otherwise idle machine.
check_load() {
	local load

	read -r load _ </proc/loadavg
	((${load%.*} < 1)) || say "the machine is busy (load $load): do not trust the times"
}

# measuring NAME LOG COMMAND...: run COMMAND with its output in LOG, and show the end of that if it
# fails
measuring() {
	local name=$1 log=$2 began=$SECONDS
	shift 2

	say "measuring: $name"
	if "$@" >"$log" 2>&1; then
		say "$name took $((SECONDS - began)) s"
	else
		say "$name failed; last lines of ${log#"$TOP"/}:"
		tail -n 15 "$log" >&2
		return 1
	fi
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gslot-top, it runs while a guest works beside a vGPU that is not open.
set -u
. "$(dirname "$0")/lib.sh"

top=$(dirname "$0")/../../tools/gslot-top
address=0000:00:02.0

exits() {
	local want=$1 rc=0
	shift

	"$@" >/run/top.out 2>&1 || rc=$?
	((rc == want)) || { sed 's/^/# /' /run/top.out; false; }
}

says() { grep -qF -- "$1" /run/top.out; }

# json EXPRESSION: evaluate it in Python, with the printed list; its items have the one GPU
json() {
	python3 - "$1" "$busy" "$idle" <<-'END'
		import json, sys
		expression, busy, idle = sys.argv[1:]
		lines = [json.loads(line) for line in open("/run/top.out")]
		gpus = [line["gpus"][0] for line in lines]
		def vgpus(uuid):
		    return [v for gpu in gpus for v in gpu["vgpus"] if v["uuid"] == uuid]
		def busy_of(uuid):
		    return [part for v in vgpus(uuid) for part in v["busy"].values()]
		if not eval(expression):
		    print("#", lines)
		    sys.exit(1)
	END
}

busy='' idle=''
check "without vGPUs it shows the GPU" exits 0 "$top" --json -n 1 -i 100
check "it lists no vGPU then" json \
	'len(gpus) == 1 and gpus[0]["vgpus"] == [] and gpus[0]["policy"] == "fair"'
check "--help" exits 0 "$top" --help
check "it fails for a GPU that does not exist" exits 1 "$top" --json -n 1 0000:00:1f.7
check "it refuses an interval of 0" exits 2 "$top" -i 0
check "it refuses a word as a number" exits 2 "$top" -n many

idle=$(vgpu_create)
busy=$(vgpu_create)
echo 300 >"/sys/bus/mdev/devices/$idle/gslot/weight"
guest_start top "$busy" 'until [ -e /out/end ]; do gem_test fill store_rcs store_bcs || exit; done'
guest_go top
check "while a guest works" exits 0 "$top" -J -n 8 -i 500
check "it prints a line each time" json 'len(lines) == 8'
check "each line has both vGPUs" json 'len(vgpus(busy)) == 8 and len(vgpus(idle)) == 8'
check "the guest's vGPU is busy" json \
	'max(busy_of(busy)) > 0 and max(v["requests"] for v in vgpus(busy)) > 0'
check "its worker uses CPU time" json '0 < max(v["cpu"] for v in vgpus(busy)) <= 100'
check "its guest's memory is pinned" json \
	'max(v["memory"]["pinned"] for v in vgpus(busy)) > 1 << 20'
check "the other vGPU has none" json \
	'all(v["memory"]["pinned"] == 0 for v in vgpus(idle))'
check "CPU time is not limited" json 'all(v["cpu_max"] == 1000 for v in vgpus(busy))'
check "the worker of a vGPU that is not open uses none" json \
	'all(v["cpu"] == 0 for v in vgpus(idle))'
check "the other vGPU is idle" json \
	'not any(busy_of(idle)) and not any(v["requests"] for v in vgpus(idle))'
check "no share exceeds the whole" json 'all(0 <= part <= 100 for part in busy_of(busy))'
check "the busiest comes first" json \
	'all(g["vgpus"][0]["uuid"] == busy for g in gpus if any(g["vgpus"][0]["busy"].values()))'
check "type and weight are shown" json \
	'all((v["type"], v["weight"]) == ("gslot-L64-H384", 300) for v in vgpus(idle))'
check "an unprivileged user cannot run it" exits 1 \
	setpriv --reuid 65534 --regid 65534 --clear-groups python3 "$top" --json -n 1 -i 100

# one_goes: remove a vGPU after it has shown both; it runs until it shows only the other one
one_goes() {
	local lines line pid

	exec {lines}< <(exec "$top" -J -n 120 -i 500 2>&1)
	pid=$!
	: >/run/top.out
	while read -r -u "$lines" line; do
		echo "$line" >>/run/top.out
		[[ $line == *"$idle"* ]] || break
		[[ ! -e $DEBUGFS/$idle ]] || vgpu_remove "$idle"
	done
	exec {lines}<&-
	wait "$pid"
}
check "a vGPU is removed meanwhile" one_goes
check "the removed vGPU is not shown any more" json \
	'len(vgpus(idle)) > 0 and [v["uuid"] for v in gpus[-1]["vgpus"]] == [busy]'

export TERM=xterm
check "it runs on a terminal" exits 0 \
	script -qec "stty rows 24 cols 120; $top -n 2 -i 300" /dev/null
check "the terminal shows the GPU" says "$address: 1 vGPUs of"
check "the terminal shows the vGPU" says "${busy:0:8} L64-H384"
check "the terminal shows the worker's CPU time" says "CPU%"
check "it runs on a small terminal" exits 0 \
	script -qec "stty rows 2 cols 20; $top -n 2 -i 300" /dev/null
check "it refuses an unknown terminal" exits 2 env TERM=dumb-as-a-post "$top" -n 1

guest_end top
check "the guest's tests pass" guest_wait top
vgpu_remove "$busy"
check "the host's log is clean" log_clean
tap_done

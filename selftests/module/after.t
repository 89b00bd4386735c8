#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After the module's tests: errors in the kernel's log, of the model, and of kmemleak.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
. "$here/../lib/klog.sh"

leaks=/sys/kernel/debug/kmemleak

log_whole() {
	dmesg | head -n 1 | grep -q 'Linux version'
}

# Without an IOMMU as well: accesses outside of the machine's memory.
no_faults() {
	echo "# $faults accesses"
	[ "$faults" -eq 0 ]
}

# A young object may still be referenced by a stack only: scan a second time.
no_leaks() {
	sleep 6
	echo scan >$leaks
	! grep -B 20 '\[gslot\]' $leaks | sed 's/^/# /' | grep .
}

check "the kernel's log has its first line" log_whole
check 'kernel log clean' log_clean
if faults=$("$here/../../tools/gpu" get dma-faults 2>/dev/null); then
	check 'the GPU accessed only memory' no_faults
else
	skip 'the GPU accessed only memory' 'no model'
fi
if echo scan 2>/dev/null >$leaks; then
	check 'no memory leaked' no_leaks
else
	skip 'no memory leaked' 'no kmemleak'
fi
tap_done

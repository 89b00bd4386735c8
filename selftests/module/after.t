#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# When the module's tests have run: what the kernel, the model and kmemleak have to say.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"

complaints='BUG:|WARNING:|Oops|kernel BUG|general protection|Call Trace|INFO: task|lockup|UBSAN|KASAN|refcount_t|list_(add|del) corruption|possible (recursive|circular) locking|DMAR: .*[Ff]ault|DRHD: handling fault'
leaks=/sys/kernel/debug/kmemleak

log_clean() {
	! dmesg | grep -E "$complaints" | sed 's/^/# /' | grep .
}

# Also without an IOMMU: whatever is no memory of the machine.
no_faults() {
	echo "# $faults accesses"
	[ "$faults" -eq 0 ]
}

# What is young may still be on somebody's stack: only the second scan counts.
no_leaks() {
	sleep 6
	echo scan >$leaks
	! grep -B 20 '\[gslot\]' $leaks | sed 's/^/# /' | grep .
}

check 'kernel log clean' log_clean
if faults=$("$here/../../tools/gpu" get dma-faults 2>/dev/null); then
	check 'what the GPU accessed was memory' no_faults
else
	skip 'what the GPU accessed was memory' 'no model'
fi
if echo scan 2>/dev/null >$leaks; then
	check 'no memory leaked' no_leaks
else
	skip 'no memory leaked' 'no kmemleak'
fi
tap_done

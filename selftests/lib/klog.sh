# SPDX-License-Identifier: GPL-2.0
# Errors in a kernel's log, for scripts of sh and bash.
# shellcheck shell=sh disable=SC3043

# log_clean [FILE]: a kernel's log, this one's or one in a file, has no error
log_clean() {
	local log re='BUG:|WARNING:|Oops|kernel BUG|Kernel panic|general protection|Call Trace'

	re="$re|INFO: task|rcu: INFO|lockup|LOCKUP|UBSAN|KASAN|refcount_t"
	re="$re|list_(add|del) corruption|page still|sleeping function called|fault addr"
	re="$re|possible (recursive|circular) locking|DMAR: .*[Ff]ault|DRHD: handling fault"
	# Not in a pipe: if the log cannot be read, it is not clean.
	if [ $# -gt 0 ]; then log=$(tr -d '\0' <"$1"); else log=$(dmesg); fi || return
	! printf '%s\n' "$log" | grep -aE "$re" | sed 's/^/# /' | grep -a .
}

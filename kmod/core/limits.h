/* SPDX-License-Identifier: GPL-2.0 */
/* Limits and units that several rooms share. */
#ifndef _GSLOT_CORE_LIMITS_H
#define _GSLOT_CORE_LIMITS_H

/* vGPUs of a GPU, at most; fewer in selftests/fuzz */
#ifndef GSLOT_MAX_VGPUS
#define GSLOT_MAX_VGPUS	80
#endif

/* Shares, caps and rates are per mille: this is the whole. */
#define GSLOT_WHOLE	1000u

/* The place of a vGPU that has none (core/place). */
#define GSLOT_PLACE_NONE	(~0u)

#endif

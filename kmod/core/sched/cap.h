/* SPDX-License-Identifier: GPL-2.0 */
/* The policy `cap`: its constants (cap.c). */
#ifndef _GSLOT_CORE_CAP_H
#define _GSLOT_CORE_CAP_H

/* Algorithm 2: a period of a second, in ten stages. */
#define GSLOT_CAP_STAGE_NS	100000000ull
#define GSLOT_CAP_STAGES	10u
#define GSLOT_CAP_PERIOD_NS	(GSLOT_CAP_STAGES * GSLOT_CAP_STAGE_NS)

#endif

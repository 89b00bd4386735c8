/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the steps of memory reclaim
 *
 * Memory is reclaimed in steps (reclaim.h), until vGPUs have given as much as is wanted. A work
 * item looks regularly at what they have given, and decides:
 *
 * 1. A step goes on while vGPUs are busy with it and make progress, for GSLOT_STEP_MAX_MS at most.
 *    Then the next step follows.
 * 2. While the holder of the pin token (token.h) waits for pages, the last step is taken again and
 *    again, even if vGPUs are still busy with it: after GSLOT_STEP_PAUSE_MS if it has given
 *    GSLOT_STEP_PROGRESS pages or more, else after GSLOT_STEP_LOOK_MS. By then requests may have
 *    ended, and memory has got older.
 * 3. Otherwise, the last step ends when vGPUs are done with it, or have made no progress for
 *    GSLOT_STEP_STALLS looks. Then the steps have not given enough.
 * 4. When the token changes hands, the first step follows, unless it was taken less than
 *    GSLOT_STEP_AGAIN_MS ago. A guest may have the token change hands often: the host gets the
 *    later steps all the same, and vGPUs are not kept busy with first ones.
 *
 * There is progress if vGPUs, in sum, have unpinned GSLOT_STEP_PROGRESS pages since the last look.
 * For each vGPU only pages count by which it falls below the fewest that it has had since the first
 * step. So pages that a vGPU gives and pins again are no progress.
 */
#ifndef _GSLOT_CORE_STEPS_H
#define _GSLOT_CORE_STEPS_H

#include "core/types.h"

/* Between two looks */
#define GSLOT_STEP_LOOK_MS	20
/* Between two last steps for the holder, so that workers prepare something meanwhile */
#define GSLOT_STEP_PAUSE_MS	8
/* How many pages are progress */
#define GSLOT_STEP_PROGRESS	64
/* How many looks without progress end the last step */
#define GSLOT_STEP_STALLS	50
/* How long a step lasts at most while there is progress, unless it is the last one */
#define GSLOT_STEP_MAX_MS	1000
/* From a first step to the next one, if the pin token changes hands in between */
#define GSLOT_STEP_AGAIN_MS	200

/**
 * struct gslot_steps - the steps that are taken; all zeros: none was
 * @next: the next step; 0: none has been taken
 * @first_at: when the first one was taken last, ms
 * @began: when the last one began, ms
 * @looked: when it was last seen whether there is progress, ms
 * @fell: by how many pages vGPUs have fallen since then
 * @stalls: how many looks there have been since there was progress, or a step began
 */
struct gslot_steps {
	u32 next;
	u64 first_at;
	u64 began;
	u64 looked;
	u64 fell;
	u32 stalls;
};

/**
 * struct gslot_steps_look - what a look has found
 * @now: the time, ms
 * @count: how many steps the policy has, not 0
 * @busy: vGPUs still do what a step has said
 * @urgent: the holder of the pin token waits for pages
 * @fell: by how many pages vGPUs have fallen since the last look
 * @given: how many pages were given since the last step began
 */
struct gslot_steps_look {
	u64 now;
	u32 count;
	bool busy;
	bool urgent;
	u64 fell;
	u64 given;
};

enum gslot_steps_action {
	GSLOT_STEPS_LAST,	/* the last step goes on, and gives pages; look again */
	GSLOT_STEPS_WAIT,	/* there is nothing to do yet; look again */
	GSLOT_STEPS_TAKE,	/* take the step &gslot_steps.next */
	GSLOT_STEPS_END,	/* the steps have not given enough; the next one is the first */
};

enum gslot_steps_action gslot_steps_look(struct gslot_steps *steps,
					 const struct gslot_steps_look *look);
void gslot_steps_taken(struct gslot_steps *steps, u64 now);
void gslot_steps_restart(struct gslot_steps *steps, u64 now);

#endif

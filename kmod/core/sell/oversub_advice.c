// SPDX-License-Identifier: GPL-2.0
/*
 * What a controller says, as people and their programs want to hear it: no word comes sooner than a
 * second after the last one, and that there is room, or too much, is so until it has not been said
 * for longer than either controller needs to say it again; or until somebody comes or goes.
 */
#include "oversub.h"

static bool is_word(enum gslot_oversub_verdict verdict)
{
	return verdict == GSLOT_OVERSUB_ROOM || verdict == GSLOT_OVERSUB_OVERLOAD;
}

/**
 * gslot_oversub_advise() - a controller has said something, or nothing
 * @a: the advice
 * @verdict: what
 * @now: time, ns, which never goes back
 *
 * Return: whether &gslot_oversub_advice.word is another than before.
 */
bool gslot_oversub_advise(struct gslot_oversub_advice *a, enum gslot_oversub_verdict verdict,
			  u64 now)
{
	if (is_word(verdict)) {
		a->said = verdict;
		a->said_at = now;
	} else if (now - a->said_at >= GSLOT_OVERSUB_HOLDS_NS) {
		a->said = GSLOT_OVERSUB_STEADY;
	}
	if (a->said == a->word || now - a->since < GSLOT_OVERSUB_REST_NS)
		return false;
	a->word = a->said;
	a->since = now;
	return true;
}

/**
 * gslot_oversub_unsay() - other clients, or another controller: what was said does not hold
 * @a: the advice; it is steady
 * @now: time, ns
 *
 * Return: whether it was not.
 */
bool gslot_oversub_unsay(struct gslot_oversub_advice *a, u64 now)
{
	bool was = a->word != GSLOT_OVERSUB_STEADY;

	a->said = GSLOT_OVERSUB_STEADY;
	a->word = GSLOT_OVERSUB_STEADY;
	if (was)
		a->since = now;
	return was;
}

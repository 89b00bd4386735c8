// SPDX-License-Identifier: GPL-2.0
#include "turns.h"

/* When the owner of the turn may have others postponed. */
static u64 turns_postpones_from(const struct gslot_turns *turns)
{
	u64 rest = max(turns->rest_until, turns->owner->rest_until);

	return max(rest, turns->began + GSLOT_TURN_POSTPONE_MS);
}

/* The turn ends, which others may have been postponed for. */
static void turns_end(struct gslot_turns *turns, u64 now)
{
	u64 from = turns_postpones_from(turns);

	if (now > from) {
		turns->rest_until = now + (now - from);
		turns->owner->rest_until = now + GSLOT_TURN_REST * (now - from);
	}
	turns->number++;
	turns->began = now;
}

/**
 * gslot_turns_join() - wait for a turn
 * @turns: those that wait
 * @member: joins them as the last one, if it does not wait already
 * @now: the time, ms
 */
void gslot_turns_join(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now)
{
	struct gslot_turns_member **last = &turns->owner;

	if (member->waits)
		return;
	while (*last)
		last = &(*last)->next;
	*last = member;
	member->waits = true;
	if (turns->owner != member)
		return;
	turns->number++;
	turns->began = now;
}

/**
 * gslot_turns_leave() - wait no more; if it owns the turn, the next one begins
 * @turns: those that wait
 * @member: leaves them, if it is among them
 * @now: the time, ms
 */
void gslot_turns_leave(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now)
{
	struct gslot_turns_member **link = &turns->owner;

	if (!member->waits)
		return;
	if (turns->owner == member)
		turns_end(turns, now);
	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
	member->next = NULL;
	member->waits = false;
}

/**
 * gslot_turns_expire() - end a turn that has lasted for long enough
 * @turns: those that wait; the owner leaves them
 * @now: the time, ms
 */
void gslot_turns_expire(struct gslot_turns *turns, u64 now)
{
	u64 most = GSLOT_TURN_MS;

	if (!turns->owner)
		return;
	if (turns_postpones_from(turns) > turns->began + GSLOT_TURN_MS / 2)
		most = GSLOT_TURN_SHORT_MS;
	if (now - turns->began >= most)
		gslot_turns_leave(turns, turns->owner, now);
}

/**
 * gslot_turns_may_postpone() - may the owner have submissions of other vGPUs postponed?
 * @turns: those that wait
 * @now: the time, ms
 *
 * Return: true if there is a turn, and it does.
 */
bool gslot_turns_may_postpone(const struct gslot_turns *turns, u64 now)
{
	return turns->owner && now >= turns_postpones_from(turns);
}

// SPDX-License-Identifier: GPL-2.0
#include "turns.h"

/* From when on the owner may take what others use. */
static u64 turns_take_from(const struct gslot_turns *turns)
{
	return max(turns->rest_until, turns->owner->rest_until);
}

/* A turn begins, if any member waits. */
static void turns_begin(struct gslot_turns *turns, u64 now)
{
	const struct gslot_turns_member *owner = turns->owner;

	turns->number++;
	turns->began = now;
	turns->takes_since = 0;
	if (!owner)
		return;
	turns->patience = GSLOT_TURN_PATIENCE_MS;
	if (owner->rest_until > now + GSLOT_TURN_PATIENCE_MS / 2)
		turns->patience = GSLOT_TURN_PATIENCE_SHORT_MS;
	turns->max = now < owner->short_until ? GSLOT_TURN_PATIENCE_MS : GSLOT_TURN_MAX_MS;
	turns->progress_at = now;
	turns->pinned_seen = owner->pinned;
}

/* The turn ends: what its owner has taken of the others' time is paid for. */
static void turns_end(struct gslot_turns *turns, u64 now)
{
	u64 from = turns->takes_since, to = min(now, from + GSLOT_TURN_STRETCH_MS);
	u64 lasted = now - turns->began;

	/* A short turn, too, may be seen to have ended a moment late. */
	if (lasted > GSLOT_TURN_PATIENCE_MS)
		turns->owner->short_until =
			max(turns->owner->short_until,
			    now + GSLOT_TURN_REST * (lasted - GSLOT_TURN_PATIENCE_MS));
	if (!from)
		return;
	turns->rest_until = to + (to - from);
	turns->owner->rest_until = to + GSLOT_TURN_REST * (to - from);
}

/* The member stands behind the owner, and behind those that it may not overtake. */
static void turns_insert(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now)
{
	struct gslot_turns_member **link = &turns->owner;

	if (*link)
		link = &(*link)->next;
	while (*link && (!member->first || (*link)->first ||
			 now - (*link)->joined >= GSLOT_TURN_MAX_MS))
		link = &(*link)->next;
	member->next = *link;
	*link = member;
}

static void turns_remove(struct gslot_turns *turns, struct gslot_turns_member *member)
{
	struct gslot_turns_member **link = &turns->owner;

	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
	member->next = NULL;
}

/**
 * gslot_turns_join() - ask for room, and wait for a turn
 * @turns: those that wait
 * @member: joins them, if it does not wait already
 * @first: it has less than its share: it goes before those that have theirs, from now on
 * @now: the time, ms
 */
void gslot_turns_join(struct gslot_turns *turns, struct gslot_turns_member *member, bool first,
		      u64 now)
{
	turns->spare_until = now + GSLOT_TURN_SPARE_MS;
	if (member->waits && (member->first || !first || turns->owner == member))
		return;
	if (member->waits)
		turns_remove(turns, member);
	else
		member->joined = now;
	member->waits = true;
	member->first = first;
	turns_insert(turns, member, now);
	if (turns->owner == member)
		turns_begin(turns, now);
}

/**
 * gslot_turns_leave() - wait no more; if it owns the turn, the next one begins
 * @turns: those that wait
 * @member: leaves them, if it is among them
 * @now: the time, ms
 */
void gslot_turns_leave(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now)
{
	bool owned = turns->owner == member;

	if (!member->waits)
		return;
	if (owned)
		turns_end(turns, now);
	turns_remove(turns, member);
	member->waits = false;
	if (owned)
		turns_begin(turns, now);
}

/* How long the turn may last: less if a vGPU waits that goes first. */
static u32 turns_max(const struct gslot_turns *turns)
{
	const struct gslot_turns_member *member;

	for (member = turns->owner->next; member; member = member->next)
		if (member->first)
			return GSLOT_TURN_PATIENCE_MS;
	return turns->max;
}

/**
 * gslot_turns_expire() - end a turn whose owner makes no progress, or that has lasted for too long
 * @turns: those that wait; the owner leaves them
 * @now: the time, ms
 */
void gslot_turns_expire(struct gslot_turns *turns, u64 now)
{
	struct gslot_turns_member *owner = turns->owner;

	if (!owner)
		return;
	if (owner->pinned - turns->pinned_seen >= GSLOT_TURN_PROGRESS) {
		turns->pinned_seen = owner->pinned;
		turns->progress_at = now;
	}
	if (now - turns->progress_at >= turns->patience || now - turns->began >= turns_max(turns))
		gslot_turns_leave(turns, owner, now);
}

/**
 * gslot_turns_take() - note that the owner takes what others use, from now until its turn ends
 * @turns: those that wait; gslot_turns_may_take()
 * @now: the time, ms, not 0
 */
void gslot_turns_take(struct gslot_turns *turns, u64 now)
{
	if (!turns->takes_since)
		turns->takes_since = now;
}

/**
 * gslot_turns_may_take() - may the owner take what others use?
 * @turns: those that wait
 * @now: the time, ms
 *
 * Return: true if there is a turn, and it may.
 */
bool gslot_turns_may_take(const struct gslot_turns *turns, u64 now)
{
	if (!turns->owner)
		return false;
	if (turns->takes_since)
		return now < turns->takes_since + GSLOT_TURN_STRETCH_MS;
	return now >= turns_take_from(turns);
}

/**
 * gslot_turns_may_postpone() - may it have submissions of other vGPUs postponed?
 * @turns: those that wait
 * @now: the time, ms
 *
 * Return: true if there is a turn, and its owner may.
 */
bool gslot_turns_may_postpone(const struct gslot_turns *turns, u64 now)
{
	return gslot_turns_may_take(turns, now) && now >= turns->began + GSLOT_TURN_POSTPONE_MS;
}

/**
 * gslot_turns_spare() - how many pages are to be kept free
 * @turns: those that wait
 * @now: the time, ms
 * @max: how many pages there may be
 *
 * Return: the number; 0 if no vGPU has asked for room lately.
 */
u64 gslot_turns_spare(const struct gslot_turns *turns, u64 now, u64 max)
{
	u64 spare = max / GSLOT_TURN_SPARE_PART;

	if (now >= turns->spare_until)
		return 0;
	return spare < GSLOT_TURN_SPARE_MAX ? spare : GSLOT_TURN_SPARE_MAX;
}

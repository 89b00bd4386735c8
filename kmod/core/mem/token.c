// SPDX-License-Identifier: GPL-2.0
#include "token.h"

/* From when on the holder may take what others use. */
static u64 token_take_from(const struct gslot_token *token)
{
	return max(token->rest_until, token->holder->rest_until);
}

/* The first vGPU in the queue, if there is one, gets the token. */
static void token_grant(struct gslot_token *token, u64 now)
{
	const struct gslot_token_member *holder = token->holder;

	token->number++;
	token->since = now;
	token->takes_since = 0;
	if (!holder)
		return;
	token->patience = GSLOT_TOKEN_PATIENCE_MS;
	if (holder->rest_until > now + GSLOT_TOKEN_PATIENCE_MS / 2)
		token->patience = GSLOT_TOKEN_PATIENCE_SHORT_MS;
	token->max = now < holder->short_until ? GSLOT_TOKEN_PATIENCE_MS : GSLOT_TOKEN_MAX_MS;
	token->progress_at = now;
	token->pinned_seen = holder->pinned;
}

/* The holder is about to lose the token: its rations are charged. */
static void token_settle(struct gslot_token *token, u64 now)
{
	u64 from = token->takes_since, to = min(now, from + GSLOT_TOKEN_STRETCH_MS);
	u64 lasted = now - token->since;

	/* Looks come late: even a rationed holder exceeds this a little. The later end counts. */
	if (lasted > GSLOT_TOKEN_PATIENCE_MS)
		token->holder->short_until =
			max(token->holder->short_until,
			    now + GSLOT_TOKEN_REST * (lasted - GSLOT_TOKEN_PATIENCE_MS));
	if (!from)
		return;
	token->rest_until = to + (to - from);
	token->holder->rest_until = to + GSLOT_TOKEN_REST * (to - from);
}

/* The member joins the queue behind the holder, and behind those that it may not overtake. */
static void token_insert(struct gslot_token *token, struct gslot_token_member *member, u64 now)
{
	struct gslot_token_member **link = &token->holder;

	if (*link)
		link = &(*link)->next;
	while (*link && (!member->first || (*link)->first ||
			 now - (*link)->joined >= GSLOT_TOKEN_MAX_MS))
		link = &(*link)->next;
	member->next = *link;
	*link = member;
}

static void token_remove(struct gslot_token *token, struct gslot_token_member *member)
{
	struct gslot_token_member **link = &token->holder;

	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
	member->next = NULL;
}

/**
 * gslot_token_join() - ask for room, and wait for the token
 * @token: the token
 * @member: joins the queue, if it does not wait already
 * @first: it has less than its share: it overtakes those that have theirs, from now on
 * @now: the time, ms
 */
void gslot_token_join(struct gslot_token *token, struct gslot_token_member *member, bool first,
		      u64 now)
{
	token->spare_until = now + GSLOT_TOKEN_SPARE_MS;
	if (member->waits && (member->first || !first || token->holder == member))
		return;
	if (member->waits)
		token_remove(token, member);
	else
		member->joined = now;
	member->waits = true;
	member->first = first;
	token_insert(token, member, now);
	if (token->holder == member)
		token_grant(token, now);
}

/**
 * gslot_token_leave() - wait no more; the holder passes the token on
 * @token: the token
 * @member: leaves the queue, if it is there
 * @now: the time, ms
 */
void gslot_token_leave(struct gslot_token *token, struct gslot_token_member *member, u64 now)
{
	bool held = token->holder == member;

	if (!member->waits)
		return;
	if (held)
		token_settle(token, now);
	token_remove(token, member);
	member->waits = false;
	if (held)
		token_grant(token, now);
}

/* For how long the holder may hold the token: less if a vGPU waits that overtakes others. */
static u32 token_max(const struct gslot_token *token)
{
	const struct gslot_token_member *member;

	for (member = token->holder->next; member; member = member->next)
		if (member->first)
			return GSLOT_TOKEN_PATIENCE_MS;
	return token->max;
}

/**
 * gslot_token_expire() - take the token from a holder that makes no progress, or holds it too long
 * @token: the token; a holder that loses it leaves the queue
 * @now: the time, ms
 */
void gslot_token_expire(struct gslot_token *token, u64 now)
{
	struct gslot_token_member *holder = token->holder;

	if (!holder)
		return;
	if (holder->pinned - token->pinned_seen >= GSLOT_TOKEN_PROGRESS) {
		token->pinned_seen = holder->pinned;
		token->progress_at = now;
	}
	if (now - token->progress_at >= token->patience || now - token->since >= token_max(token))
		gslot_token_leave(token, holder, now);
}

/**
 * gslot_token_take() - note that the holder takes what others use, as long as it holds the token
 * @token: the token; gslot_token_may_take() is true
 * @now: the time, ms, not 0
 */
void gslot_token_take(struct gslot_token *token, u64 now)
{
	if (!token->takes_since)
		token->takes_since = now;
}

/**
 * gslot_token_may_take() - may the holder take what others use?
 * @token: the token
 * @now: the time, ms
 *
 * Return: true if there is a holder, and it may.
 */
bool gslot_token_may_take(const struct gslot_token *token, u64 now)
{
	if (!token->holder)
		return false;
	if (token->takes_since)
		return now < token->takes_since + GSLOT_TOKEN_STRETCH_MS;
	return now >= token_take_from(token);
}

/**
 * gslot_token_may_postpone() - may the holder have submissions of other vGPUs postponed?
 * @token: the token
 * @now: the time, ms
 *
 * Return: true if there is a holder, and it may.
 */
bool gslot_token_may_postpone(const struct gslot_token *token, u64 now)
{
	return gslot_token_may_take(token, now) && now >= token->since + GSLOT_TOKEN_POSTPONE_MS;
}

/**
 * gslot_token_spare() - how many pages are to be kept free
 * @token: the token
 * @now: the time, ms
 * @max: how many pages there may be
 *
 * Return: the number; 0 if no vGPU has asked for room lately.
 */
u64 gslot_token_spare(const struct gslot_token *token, u64 now, u64 max)
{
	u64 spare = max / GSLOT_TOKEN_SPARE_PART;

	if (now >= token->spare_until)
		return 0;
	return spare < GSLOT_TOKEN_SPARE_MAX ? spare : GSLOT_TOKEN_SPARE_MAX;
}

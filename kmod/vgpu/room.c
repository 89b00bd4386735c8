// SPDX-License-Identifier: GPL-2.0
/*
 * Room to pin memory: gslot/pinned_max_mb of a GPU, and the pin token for vGPUs that need more than
 * is left of it (core/mem/token.h). A vGPU with a submission that needs pages waits for the token.
 * While it holds the token, room is reserved for it, and the shrinker has the others give memory.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "vgpu_priv.h"
#include "base/trace.h"

static u64 room_now_ms(void)
{
	return jiffies64_to_msecs(get_jiffies_64());
}

static struct gslot_vgpu *room_holder(const struct gslot_vgpus_room *r)
{
	lockdep_assert_held(&r->lock);
	return r->token.holder ? container_of(r->token.holder, struct gslot_vgpu, room.member) :
				 NULL;
}

/* If the token has changed hands, the new holder has still to say what it needs. */
static void room_note_change(struct gslot_vgpus_room *r, u32 number)
{
	struct gslot_vgpu *holder = room_holder(r);

	if (r->token.number != number)
		gslot_pinned_reserve(&r->pinned, holder ? &holder->mem : NULL, 0);
}

/* Return: how many pages so many megabytes have. */
u64 gslot_room_pages(u32 mb)
{
	return (u64)mb * (SZ_1M >> PAGE_SHIFT);
}

/* Does the holder have all that others can give: are their submissions postponed? */
static bool room_has_all(const struct gslot_vgpus *vgpus, u64 now)
{
	const struct gslot_token *token = &vgpus->room.token;

	lockdep_assert_held(&vgpus->room.lock);
	return gslot_token_may_postpone(token, now) &&
	       READ_ONCE(vgpus->shrink.postpones_for) == token->number;
}

/* Has the vGPU less than its share, or than what it keeps? */
static bool room_goes_first(struct gslot_vgpu *vgpu)
{
	u64 share = READ_ONCE(vgpu->vgpus->room.pinned.share);
	u64 min = gslot_room_pages(gslot_vgpu_knob(vgpu, GSLOT_KNOB_PINNED_MIN_MB));

	/* No policy with shares: all are alike. */
	return share != U64_MAX && READ_ONCE(vgpu->mem.count) < max(share, min);
}

/*
 * The vGPU needs more pages than there is room for; @pages: some that would help. Return: what is
 * done for it. gslot_exec_retry() follows when it gets the token, or there is room. Any context but
 * hard interrupts.
 */
enum gslot_exec_room gslot_room_request(struct gslot_vgpu *vgpu, u32 pages)
{
	struct gslot_vgpus_room *r = &vgpu->vgpus->room;
	enum gslot_exec_room room = GSLOT_EXEC_ROOM_WAITS;
	u64 now;

	spin_lock(&r->lock);
	now = room_now_ms();
	vgpu->room.member.pinned = READ_ONCE(vgpu->mem.pinned_limited);
	gslot_token_join(&r->token, &vgpu->room.member, room_goes_first(vgpu), now);
	if (room_holder(r) == vgpu) {
		gslot_pinned_reserve(&r->pinned, &vgpu->mem, pages);
		room = room_has_all(vgpu->vgpus, now) ? GSLOT_EXEC_ROOM_ALL : GSLOT_EXEC_ROOM_TOKEN;
	}
	spin_unlock(&r->lock);
	atomic64_inc(&vgpu->room.waits);
	trace_gslot_room(gslot_vgpu_name(vgpu), pages, room);
	gslot_shrink_look(vgpu->vgpus);
	return room;
}

/* The vGPU needs no more pages, if it ever did: if it holds the token, it passes that on. */
void gslot_room_done(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpus_room *r = &vgpu->vgpus->room;
	u32 number;

	spin_lock(&r->lock);
	number = r->token.number;
	gslot_token_leave(&r->token, &vgpu->room.member, room_now_ms());
	room_note_change(r, number);
	spin_unlock(&r->lock);
	gslot_shrink_look(vgpu->vgpus);
}

/* Look at the token: the holder loses it without progress, or if it has held it for too long. */
struct gslot_room_token gslot_room_token(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_room *r = &vgpus->room;
	struct gslot_room_token token;
	struct gslot_vgpu *holder;
	u64 now;

	spin_lock(&r->lock);
	now = room_now_ms();
	holder = room_holder(r);
	if (holder)
		holder->room.member.pinned = READ_ONCE(holder->mem.pinned_limited);
	token.number = r->token.number;
	gslot_token_expire(&r->token, now);
	room_note_change(r, token.number);
	token = (struct gslot_room_token) {
		.holder = room_holder(r),
		.number = r->token.number,
		.may_take = gslot_token_may_take(&r->token, now),
		.may_postpone = gslot_token_may_postpone(&r->token, now),
	};
	if (READ_ONCE(vgpus->shrink.policy)->spares)
		token.spare = gslot_token_spare(&r->token, now, READ_ONCE(r->pinned.max));
	WRITE_ONCE(r->pinned.spare, token.spare);
	spin_unlock(&r->lock);
	return token;
}

/* The holder takes what others use from now on; @number: of the token when it got that. */
void gslot_room_take(struct gslot_vgpus *vgpus, u32 number)
{
	struct gslot_vgpus_room *r = &vgpus->room;

	spin_lock(&r->lock);
	if (r->token.number == number)
		gslot_token_take(&r->token, room_now_ms());
	spin_unlock(&r->lock);
}

/**
 * gslot_vgpus_pinned_max_mb() - get how much memory all vGPUs together may pin
 * @vgpus: the GPU
 *
 * Return: megabytes.
 * Context: any.
 */
u32 gslot_vgpus_pinned_max_mb(struct gslot_vgpus *vgpus)
{
	return READ_ONCE(vgpus->room.pinned.max) / gslot_room_pages(1);
}

/**
 * gslot_vgpus_set_pinned_max_mb() - set how much memory all vGPUs together may pin
 * @vgpus: the GPU; if more is pinned, vGPUs give what they do not use
 * @mb: megabytes; 1 .. GSLOT_PINNED_UNLIMITED_MB
 *
 * Return: 0, or -EINVAL if it is out of range.
 * Context: any but hard interrupts.
 */
int gslot_vgpus_set_pinned_max_mb(struct gslot_vgpus *vgpus, u32 mb)
{
	if (!mb || mb > GSLOT_PINNED_UNLIMITED_MB)
		return -EINVAL;
	WRITE_ONCE(vgpus->room.pinned.max, gslot_room_pages(mb));
	gslot_shrink_look(vgpus);
	return 0;
}

/**
 * gslot_vgpus_init_room() - let vGPUs pin three quarters of the host's memory
 * @vgpus: the GPU, without vGPUs
 *
 * Context: any.
 */
void gslot_vgpus_init_room(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_room *r = &vgpus->room;

	gslot_pinned_init(&r->pinned, totalram_pages() / 4 * 3);
	spin_lock_init(&r->lock);
}

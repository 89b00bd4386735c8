// SPDX-License-Identifier: GPL-2.0
/* What all controllers share: the clients, and what they have done. */
#include "oversub.h"

/**
 * gslot_oversub_join() - add a client
 * @o: the clients
 * @c: the client; its counters are zero
 * @sold: the cap that it was sold, per mille, 1 .. GSLOT_WHOLE
 * @qos_fps: how many frames per second it is to have at least; 0: it has no such target
 *
 * Return: 0, -ENOSPC, or -EINVAL if there is no such cap.
 */
int gslot_oversub_join(struct gslot_oversub *o, struct gslot_oversub_client *c, u32 sold,
		       u32 qos_fps)
{
	if (!sold || sold > GSLOT_WHOLE)
		return -EINVAL;
	if (o->count == GSLOT_MAX_VGPUS)
		return -ENOSPC;
	memset(c, 0, sizeof(*c));
	c->sold = sold;
	c->cap = sold;
	c->qos_fps = qos_fps;
	c->index = o->count;
	o->clients[o->count++] = c;
	o->calm = 0;
	return 0;
}

/**
 * gslot_oversub_leave() - remove a client
 * @o: the clients
 * @c: the client
 */
void gslot_oversub_leave(struct gslot_oversub *o, struct gslot_oversub_client *c)
{
	u32 i;

	if (o->ops->leave)
		o->ops->leave(o, c);
	o->count--;
	for (i = c->index; i < o->count; i++) {
		o->clients[i] = o->clients[i + 1];
		o->clients[i]->index = i;
	}
}

/* A counter that is smaller than before is ignored. */
static u64 oversub_grown(u64 now, u64 before)
{
	return now - min(now, before);
}

/* gOver: u_i = busy time / max_timeslice, which is the cap of the time that has passed. */
static void oversub_measure(struct gslot_oversub_client *c, u64 passed_ns)
{
	u64 frames = oversub_grown(c->counters.frames, c->last.frames);

	c->busy_ns = min(oversub_grown(c->counters.busy_ns, c->last.busy_ns), passed_ns);
	c->use = c->busy_ns * GSLOT_WHOLE / passed_ns * GSLOT_WHOLE / c->cap;
	c->fps = (min(frames, 1000000ull) * 1000000000 + passed_ns / 2) / passed_ns;
}

/**
 * gslot_oversub_look() - sample all clients, and let the controller set their caps
 * @o: the clients; gets &gslot_oversub_client.cap of all
 * @now: time, ns, which never goes back; the controller's period later than before, about
 *
 * A time ten times as long says little: the caps stay, and counting begins anew.
 *
 * Return: the verdict of the controller.
 */
enum gslot_oversub_verdict gslot_oversub_look(struct gslot_oversub *o, u64 now)
{
	enum gslot_oversub_verdict verdict = GSLOT_OVERSUB_STEADY;
	u64 passed = now - min(now, o->looked_at);
	u32 i;

	if (!passed)
		return verdict;
	if (passed / 10 <= o->ops->period_ns) {
		o->passed_ns = passed;
		for (i = 0; i < o->count; i++)
			oversub_measure(o->clients[i], passed);
		verdict = o->ops->look(o);
	}
	o->looked_at = now;
	for (i = 0; i < o->count; i++)
		o->clients[i]->last = o->clients[i]->counters;
	return verdict;
}

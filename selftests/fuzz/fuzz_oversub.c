// SPDX-License-Identifier: GPL-2.0
/*
 * The controllers of oversubscription, by what guests report. The input says which clients come and
 * go, and before each look what each of them has done. Verdicts and caps are those of the rules in
 * oversub.h, by counters of the latest looks and a list of the latest seconds; and lend's shares
 * are max-min shares in floating point. With SMALL, the number of clients, and how many looks and
 * seconds lend keeps, are so small that each is met, and exceeded by one.
 */
#ifdef SMALL
#define GSLOT_MAX_VGPUS		3
#define GSLOT_OVERSUB_LOOKS	2
#define GSLOT_OVERSUB_SECONDS	4u
#define GSLOT_OVERSUB_KNOWN	2
#define GSLOT_OVERSUB_MISSED	2
#endif

#include <math.h>
#include "test.h"
#include "core/oversub/oversub.h"
#ifdef SMALL
#include "core/oversub/oversub.c"
#include "core/oversub/oversub_gover.c"
#include "core/oversub/oversub_lend.c"
#endif

#define MAX	(GSLOT_MAX_VGPUS + 1)
#define LOOKS	GSLOT_OVERSUB_LOOKS
#define SECONDS	GSLOT_OVERSUB_SECONDS

/* What is known of a client; of each array the latest element is the first one. */
struct client {
	struct gslot_oversub_client c;
	bool there;
	struct gslot_oversub_counters last;		/* counters when counting began anew */
	struct gslot_oversub_counters at[LOOKS];	/* lend: at the latest looks */
	u32 before;		/* its cap before a look */
	u32 heavy;		/* gover: how often in succession it used too much */
	u32 calm;		/* gover: how often its sold cap was enough */
	u32 seconds;		/* lend: for how many seconds it has been there */
	u32 peak;		/* lend: the most that it needed in this second */
	u32 needs[SECONDS];	/* lend: and in those before */
};

static struct gslot_oversub o;
static struct client of[MAX];
static u64 now, passed;
static u32 calm;		/* gover: looks in succession without an overloaded client */
static u64 looks;		/* lend: number of looks */
static bool missed[SECONDS];	/* lend: whether a client missed its target in a second */

/* Make room for a new first element. */
static void shift(void *array, size_t size, size_t count)
{
	memmove((u8 *)array + size, array, size * (count - 1));
}

static u64 grown(u64 after, u64 before)
{
	return after > before ? after - before : 0;
}

/* The clients in the order in which they joined. */
static struct client *nth(u32 i)
{
	return (struct client *)o.clients[i];
}

static void come(struct client *it, u32 sold, u32 fps)
{
	bool full = o.count == GSLOT_MAX_VGPUS;
	int err = gslot_oversub_join(&o, &it->c, sold, fps);

	must(err == (sold < 1 || sold > GSLOT_WHOLE ? -EINVAL : full ? -ENOSPC : 0));
	if (err)
		return;
	*it = (struct client) { .c = it->c, .there = true };
	must(nth(o.count - 1) == it);
	calm = 0;
}

static void go(struct client *it)
{
	gslot_oversub_leave(&o, &it->c);
	it->there = false;
	for (u32 i = 0; i < o.count; i++)
		must(nth(i)->there && nth(i)->c.index == i);
}

/* In the time to the next look; 0xff: it reports less than before. */
static void did(struct client *it, u8 busy, u8 waited, u8 frames)
{
	u64 part = o.ops->period_ns / 200;

	if (busy == 0xff) {
		it->c.counters = (struct gslot_oversub_counters) { };
		return;
	}
	it->c.counters.busy_ns += busy * part;
	it->c.counters.waited_ns += waited * part;
	it->c.counters.frames += frames % 64;
}

static s64 deficit(const struct client *it)
{
	return it->c.qos_fps ? (s64)it->c.qos_fps - it->c.fps : 0;
}

/* Time and frames since the last look, for both controllers. */
static void check_measures(const struct client *it)
{
	double ns = fmin(grown(it->c.counters.busy_ns, it->last.busy_ns), passed);
	double use = ns / passed * 1e6 / it->before;
	double fps = grown(it->c.counters.frames, it->last.frames) * 1e9 / passed;

	must(it->c.busy_ns == ns);
	must(it->c.use <= use + 0.000001 && it->c.use >= use - 1000.0 / it->before - 1);
	must(fabs(it->c.fps - fps) <= 0.501);
}

/* Return: how many are overloaded; the last of them. */
static u32 count_overloaded(struct client **over)
{
	u32 sum = 0;

	for (u32 i = 0; i < o.count; i++) {
		struct client *it = nth(i);
		bool few = deficit(it) > 0;

		it->heavy = it->c.use > 900 ? it->heavy + 1 : 0;
		it->calm = few || (u64)it->c.use * it->before > 900ull * it->c.sold ?
			   0 : it->calm + 1;
		if (it->heavy < 3 && !few)
			continue;
		*over = it;
		sum++;
	}
	return sum;
}

/* What was lent goes back in full, and no other cap changes. Return: whether any had to. */
static bool check_given_back(bool moved)
{
	bool any = false;

	for (u32 i = 0; i < o.count; i++)
		any |= nth(i)->before > nth(i)->c.sold && nth(i)->calm >= 3;
	for (u32 i = 0; i < o.count && !moved; i++) {
		const struct client *it = nth(i);

		if (it->before > it->c.sold)
			must(it->c.cap == (it->calm >= 3 ? it->c.sold : it->before));
		else
			must(it->c.cap <= it->c.sold && it->c.cap >= it->before);
	}
	return any;
}

/* The lightest one gives a fifth of what it does not use, if that is anything. */
static void check_mitigated(const struct client *over, bool moved)
{
	const struct client *from = NULL;
	u32 part = 0;

	for (u32 i = 0; i < o.count; i++) {
		const struct client *it = nth(i);

		if (it != over && (!from || (s64)it->c.use + 10 * deficit(it) <
				   (s64)from->c.use + 10 * deficit(from)))
			from = it;
	}
	if (from && from->c.use < 1000)
		part = min(from->before * (1000 - from->c.use) / 1000 / 5, 1000 - over->before);
	must(moved == (part > 0));
	for (u32 i = 0; i < o.count; i++) {
		const struct client *it = nth(i);

		must(it->c.cap + (it == from ? part : 0) == it->before + (it == over ? part : 0));
	}
}

static void check_gover(enum gslot_oversub_verdict verdict)
{
	bool moved = verdict == GSLOT_OVERSUB_MOVED, back, room;
	struct client *over = NULL;
	u32 several = count_overloaded(&over);
	u64 load = 0;

	back = check_given_back(moved);
	for (u32 i = 0; i < o.count; i++)
		load += (u64)nth(i)->c.use * nth(i)->c.cap;
	calm = several ? 0 : calm + 1;
	room = calm >= 3 && load < 500000;
	if (several == 1 && !back)
		check_mitigated(over, moved);
	if (several)
		must(verdict == GSLOT_OVERSUB_OVERLOAD || (several == 1 && moved));
	else
		must(verdict == (room ? GSLOT_OVERSUB_ROOM : GSLOT_OVERSUB_STEADY));
	if (room)
		calm = 0;
}

static double with_margin(double share)
{
	return fmin(share * 33 / 32 + 2, 1000);
}

/* How much of @ns it had work, per mille. */
static double worked(const struct client *it, const struct gslot_oversub_counters *since, double ns)
{
	return fmin((double)grown(it->c.counters.busy_ns, since->busy_ns) +
		    grown(it->c.counters.waited_ns, since->waited_ns), ns) * 1000 / ns;
}

/* What it wants and needs; each is rounded down a few times. */
static void check_estimate(struct client *it)
{
	const struct gslot_oversub_counters *oldest = &it->at[LOOKS - 1];
	double frames = grown(it->c.counters.frames, oldest->frames), second = passed * LOOKS;
	double busy = grown(it->c.counters.busy_ns, oldest->busy_ns);
	double waited = grown(it->c.counters.waited_ns, oldest->waited_ns);
	double want = with_margin(fmax(worked(it, &it->last, passed), worked(it, oldest, second)));
	double need = want, fps = it->c.qos_fps;
	bool few = frames < fps && waited;

	if (fps && frames)
		need = fmin(want, with_margin(busy / frames * fps / 1e6));
	must(it->c.lend.want <= want + 0.000001 && it->c.lend.want > want - 3);
	must(it->c.lend.need <= need + 0.000001 && it->c.lend.need > need - 3);
	must(!it->c.lend.lacked || few);
	must(it->c.lend.lacked || !few || waited * frames < busy * (fps - frames));
	must(it->c.lend.lacked || !few || busy + waited < second * 0.9 + 1);
	it->peak = max(it->peak, it->c.lend.need);
	shift(it->at, sizeof(*it->at), LOOKS);
	it->at[0] = it->c.counters;
}

/* Add max-min shares of @free by sold caps. Return: what is left. */
static double share_out(const double *asks, double *given, double free)
{
	double low = 0, high = 1e6, left = free;

	for (u32 k = 0; k < 60; k++) {
		double level = (low + high) / 2, sum = 0;

		for (u32 i = 0; i < o.count; i++)
			sum += fmin(asks[i] - given[i], level * nth(i)->c.sold);
		*(sum > free ? &high : &low) = level;
	}
	for (u32 i = 0; i < o.count; i++) {
		double part = fmin(asks[i] - given[i], low * nth(i)->c.sold);

		given[i] += part;
		left -= part;
	}
	return left;
}

static void check_shares(void)
{
	double needs[MAX], wants[MAX], given[MAX] = { }, free;
	u32 sum = 0;

	for (u32 i = 0; i < o.count; i++) {
		needs[i] = nth(i)->c.lend.need;
		wants[i] = nth(i)->c.lend.want;
		sum += nth(i)->c.lend.given;
	}
	free = share_out(needs, given, GSLOT_WHOLE);
	share_out(wants, given, free);
	must(sum <= GSLOT_WHOLE);
	for (u32 i = 0; i < o.count; i++) {
		const struct gslot_oversub_client *c = &nth(i)->c;
		u32 share = c->lend.given + GSLOT_WHOLE - sum;

		must(fabs(c->lend.given - given[i]) <= 4 * o.count);
		must(c->cap == min(max(share, c->sold), GSLOT_WHOLE));
	}
}

static u32 mean_need(const struct client *it)
{
	u32 sum = 0, count = min(it->seconds, SECONDS);

	for (u32 i = 0; i < count; i++)
		sum += it->needs[i];
	return sum / count;
}

/* Whether one more client, like the mean of all, fits into each of the latest seconds. */
static bool fits(void)
{
	u32 mean = 0;

	for (u32 i = 0; i < o.count; i++) {
		if (nth(i)->seconds < GSLOT_OVERSUB_KNOWN)
			return false;
		mean += mean_need(nth(i));
	}
	mean = o.count ? mean / o.count : 0;
	for (u32 ago = 0; ago < SECONDS; ago++) {
		u32 sum = mean;

		for (u32 i = 0; i < o.count; i++)
			sum += ago < nth(i)->seconds ? nth(i)->needs[ago] : mean_need(nth(i));
		if (missed[ago] || sum > GSLOT_WHOLE)
			return false;
	}
	return true;
}

static enum gslot_oversub_verdict end_second(void)
{
	u32 sum = 0;

	shift(missed, sizeof(*missed), SECONDS);
	missed[0] = false;
	for (u32 i = 0; i < o.count; i++) {
		struct client *it = nth(i);

		missed[0] |= it->seconds && it->c.lend.lacked;
		shift(it->needs, sizeof(*it->needs), SECONDS);
		it->needs[0] = it->peak;
		it->peak = 0;
		it->seconds++;
	}
	for (u32 i = 0; i < SECONDS; i++)
		sum += missed[i];
	if (sum < GSLOT_OVERSUB_MISSED)
		return fits() ? GSLOT_OVERSUB_ROOM : GSLOT_OVERSUB_STEADY;
	memset(missed, 0, sizeof(missed));
	return GSLOT_OVERSUB_OVERLOAD;
}

static void check_lend(enum gslot_oversub_verdict verdict)
{
	for (u32 i = 0; i < o.count; i++)
		check_estimate(nth(i));
	check_shares();
	looks++;
	must(verdict == (looks % LOOKS ? GSLOT_OVERSUB_STEADY : end_second()));
}

/* Mostly a period; else a time about the longest that counts, or any. */
static u64 interval(u8 what)
{
	u64 period = o.ops->period_ns;

	switch (what) {
	case 0xff:
		return 0;
	case 0xfe:
		return 10 * period + 9;
	case 0xfd:
		return 10 * period + 10;
	case 0xfc:
		return period / 2;
	default:
		return period;
	}
}

static void look(u64 ns)
{
	enum gslot_oversub_verdict verdict;
	u32 caps = 0, sold = 0;

	now += ns;
	passed = ns;
	for (u32 i = 0; i < o.count; i++)
		nth(i)->before = nth(i)->c.cap;
	verdict = gslot_oversub_look(&o, now);
	if (!ns || ns >= 10 * o.ops->period_ns + 10) {
		must(verdict == GSLOT_OVERSUB_STEADY);
		for (u32 i = 0; i < o.count; i++)
			must(nth(i)->c.cap == nth(i)->before);
	} else {
		for (u32 i = 0; i < o.count; i++)
			check_measures(nth(i));
		(o.ops == &gslot_oversub_gover ? check_gover : check_lend)(verdict);
	}
	for (u32 i = 0; i < o.count; i++) {
		if (ns)
			nth(i)->last = nth(i)->c.counters;
		must(nth(i)->c.cap >= 1 && nth(i)->c.cap <= GSLOT_WHOLE);
		caps += nth(i)->c.cap;
		sold += nth(i)->c.sold;
	}
	must(caps == sold || o.ops == &gslot_oversub_lend);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };

	now = 1000000000000ull;
	calm = 0;
	looks = 0;
	memset(missed, 0, sizeof(missed));
	memset(of, 0, sizeof(of));
	gslot_oversub_init(&o, take(&in, 1) & 1 ? &gslot_oversub_lend : &gslot_oversub_gover, now);
	while (in.left) {
		u8 what = take(&in, 1);
		struct client *it = &of[what % MAX];

		if (what < 0xc0) {
			for (u32 i = 0; i < o.count; i++) {
				u8 busy = take(&in, 1), waited = take(&in, 1);

				did(nth(i), busy, waited, take(&in, 1));
			}
			look(interval(take(&in, 1)));
		} else if (it->there) {
			go(it);
		} else {
			u32 sold = take(&in, 2) % (GSLOT_WHOLE + 2);

			come(it, sold, take(&in, 1) & 1 ? 50 : 0);
		}
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The interrupt line after the state of the registers was set as a whole. */
#include "test.h"
#include "core/regs/virq.h"

#define BIT_RCS	BIT(4)

static struct gslot_virq virq;

static void set(bool master, u32 iir, u32 ier)
{
	gslot_virq_reset(&virq);
	virq.imr[0] = 0;
	virq.iir[0] = iir;
	virq.ier[0] = ier;
	virq.master = master;
}

static void test_up(void **state)
{
	(void)state;
	set(true, BIT_RCS, BIT_RCS);
	assert_true(gslot_virq_refresh(&virq));
	/* It is up, and does not rise again. */
	assert_true(gslot_virq_refresh(&virq));
	assert_false(gslot_virq_raise(&virq, GSLOT_RCS0, BIT_RCS));
	/* The guest's handler sets the master enable with the bit still latched: it rises. */
	assert_false(gslot_virq_write(&virq, GEN_MASTER_IRQ, 0));
	assert_true(gslot_virq_write(&virq, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE));
}

static void test_down(void **state)
{
	(void)state;
	set(false, BIT_RCS, BIT_RCS);
	assert_false(gslot_virq_refresh(&virq));
	set(true, BIT_RCS, 0);
	assert_false(gslot_virq_refresh(&virq));
	set(true, 0, BIT_RCS);
	assert_false(gslot_virq_refresh(&virq));
	/* An event that comes then raises it. */
	virq.ring_imr[GSLOT_RCS0] = 0;
	assert_true(gslot_virq_raise(&virq, GSLOT_RCS0, BIT_RCS));
}

/* A line that was up goes down with the state that is set. */
static void test_falls(void **state)
{
	(void)state;
	set(true, BIT_RCS, BIT_RCS);
	assert_true(gslot_virq_refresh(&virq));
	virq.iir[0] = 0;
	assert_false(gslot_virq_refresh(&virq));
	assert_false(virq.line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up),
		cmocka_unit_test(test_down),
		cmocka_unit_test(test_falls),
	};

	return run_tap_tests("core_virq", tests);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the GPU model that the test host runs on counts by itself: the one
 * witness of the hardware's side. On real hardware there is none.
 */
#ifndef _LIBVGPU_MODEL_H
#define _LIBVGPU_MODEL_H

#include "types.h"

/* A property of the model, as a number; false: no model, or no such property. */
bool model_get(const char *property, u64 *value);

/* Sets one: an injection (qemu-patches/README.md has them). */
bool model_set(const char *property, u64 value);

/* The same for a property of an engine, WHAT-ENGINE; dies if there is none. */
void model_inject(const char *what, const char *engine, u64 value);
/* What is left of it; a counter of the engine, ENGINE-WHAT. */
u64 model_injections(const char *what, const char *engine);
u64 model_engine_counter(const char *engine, const char *what);

/* Accesses by TLB entries whose PTE had changed, on all engines; false: no model. */
bool model_stale_hits(u64 *hits);
/* Whose they were since the test host was started. */
void model_explain_stale(void);

#endif

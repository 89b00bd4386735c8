/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters and error injections of the GPU model, which show the hardware's side. Real hardware
 * has none.
 */
#ifndef _LIBVGPU_MODEL_H
#define _LIBVGPU_MODEL_H

#include "types.h"

/* Read a property of the model, a number; false: no model, or no such property. */
bool model_get(const char *property, u64 *value);

/* Set a property, such as an injection (qemu-patches/README.md lists them). */
bool model_set(const char *property, u64 value);

/* The same for a property of an engine, WHAT-ENGINE; dies if it does not exist. */
void model_inject(const char *what, const char *engine, u64 value);
/* The remaining injections; a counter of the engine, ENGINE-WHAT. */
u64 model_injections(const char *what, const char *engine);
u64 model_engine_counter(const char *engine, const char *what);

/* Accesses through TLB entries after their PTE had changed, on all engines; false: no model. */
bool model_stale_hits(u64 *hits);
/* Print them by engine, since the test host was started. */
void model_explain_stale(void);

#endif

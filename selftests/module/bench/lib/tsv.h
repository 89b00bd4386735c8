/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of results, with fields separated by tabs. */
#ifndef _BENCH_TSV_H
#define _BENCH_TSV_H

#include <stdio.h>

/* A field other than the first; NAN, which is "not applicable", is shown as "-". */
void tsv_number(FILE *tsv, double value, int digits);

#endif

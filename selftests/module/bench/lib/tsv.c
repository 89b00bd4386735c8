// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "tsv.h"

void tsv_number(FILE *tsv, double value, int digits)
{
	if (isnan(value))
		fprintf(tsv, "\t-");
	else
		fprintf(tsv, "\t%.*f", digits, value);
}

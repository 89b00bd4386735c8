# SPDX-License-Identifier: GPL-2.0
# From lines of build/bench/fair/*.tsv, one table: a row for each number of vGPUs, a column for each
# of "columns", which are policies; of several lines that fit, the worst. See tools/figures, which
# sets the rest:
#   set, load, weights    of the lines that are meant; load: empty: any
#   row_names             numbers of vGPUs
#   value                 name of the field that is shown; the largest one is the worst
# What is not there is NaN.

$at["set"] == set && (load == "" || $at["load"] == load) && $at["weights"] == weights &&
$at[value] != "-" {
	key = $at["vgpus"] SUBSEP $at["policy"]
	if (!(key in cell) || $at[value] + 0 > cell[key])
		cell[key] = $at[value] + 0
}

END {
	for (r = 1; r <= nr_rows; r++) {
		printf "%s", row[r]
		for (c = 1; c <= count; c++) {
			key = row[r] SUBSEP column[c]
			printf "\t%s", key in cell ? sprintf("%.6f", cell[key]) : "NaN"
		}
		printf "\n"
	}
}

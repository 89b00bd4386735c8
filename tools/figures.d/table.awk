# SPDX-License-Identifier: GPL-2.0
# What fair.awk and pivot.awk have in common: the columns and rows of the table, and where each
# field of the lines is, by the name in their header: at["vgpus"].

BEGIN {
	FS = "\t"
	count = split(columns, column, " ")
	nr_rows = split(row_names, row, " ")
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	next
}

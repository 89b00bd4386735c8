# SPDX-License-Identifier: GPL-2.0
# From lines of results.tsv, one table: a row for each number of vGPUs, or set of them, a column
# for each of "columns", which are COPY_POLICY/PLACEMENT. See tools/figures, which sets the rest:
#   load, source     of the lines that are meant
#   set, high        the same; empty: any
#   rows             name of the field that is the row: vgpus, set
#   row_names        those of the rows
#   value            name of the field that is shown, or one of those of value_of()
#   base             the column that others are shown in relation to, in percent; or empty
# What is not there is NaN.

function number(name) {
	return $at[name] == "-" ? 0 : $at[name]
}

# The time of loading is that of its entries, wherever they are.
function load_us(name) {
	return number("entries") ? number("load_ns") * number(name) / number("entries") / 1000 : 0
}

function value_of(name) {
	if (name == "low_us")
		return load_us("low")
	if (name == "high_us")
		return load_us("high_entries")
	if (name == "leave_us")
		return number("leave_ns") / 1000
	if (name == "switch_us")
		return (number("leave_ns") + number("load_ns")) / 1000
	return number(name)
}

$at["load"] == load && $at["source"] == source && (set == "" || $at["set"] == set) &&
(high == "" || $at["high"] == high) {
	cell[$at[rows], $at["policy"] "/" $at["placement"]] = value_of(value)
}

END {
	for (r = 1; r <= nr_rows; r++) {
		printf "%s", row[r]
		for (c = 1; c <= count; c++) {
			key = row[r] SUBSEP column[c]
			whole = row[r] SUBSEP base
			if (!(key in cell) || (base != "" && !cell[whole]))
				printf "\tNaN"
			else
				printf "\t%.4f", base == "" ? cell[key] : \
					100 * cell[key] / cell[whole]
		}
		printf "\n"
	}
}

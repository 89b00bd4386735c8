# SPDX-License-Identifier: GPL-2.0
# Print a table in C of the pages that requests name, from a trace of one vGPU. See
# tools/record-traffic.

BEGIN {
	kinds = steps = total = 0
}

# The number of the page that " addr=0x..." names.
function page_named(    text, i, page) {
	match($0, / addr=0x[0-9a-f]+/)
	text = substr($0, RSTART + 8, RLENGTH - 8 - 3)
	for (i = 1; i <= length(text); i++)
		page = page * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return page
}

/gslot_request_name:/ {
	page = page_named()
	if (index(pages " ", " " page " "))
		next
	pages = pages " " page
	if (!first || page < first)
		first = page
	if (page > last)
		last = page
}

# A request that cannot be prepared now, for lack of space, is named again.
/gslot_request_prepare:/ {
	if (pages && / ok$/) {
		if (!(pages in kind)) {
			kind[pages] = kinds
			kind_pages[kinds++] = pages
		}
		if (!steps || kind[pages] != step_kind[steps - 1])
			step_kind[steps++] = kind[pages]
		step_times[steps - 1]++
		requests++
	}
	pages = ""
}


# Print an item of a list, and break long lines; an empty item ends the list.
function put(item) {
	if (item == "" || length(line) + length(item) > 86) {
		print "\t" line
		line = ""
	}
	line = line (line == "" ? "" : " ") item
}

END {
	first -= first % 16
	print "/* SPDX-License-Identifier: GPL-2.0 */"
	print "/*"
	print " * What requests of a stock i915 name of the GGTT, as tools/record-traffic has" \
		" recorded it:"
	printf " * %d requests of %d kinds. Pages count from one that is the first of 16.\n",
		requests, kinds
	print " */"
	print "#ifndef _BENCH_I915_TRAFFIC_H"
	print "#define _BENCH_I915_TRAFFIC_H\n"
	print "#include \"types.h\"\n"
	printf "#define I915_PAGES\t%d\t/* up to the last that is named */\n\n", last - first + 1
	print "/* Pages that requests name; those of a kind are in a row. */"
	print "static const u16 i915_pages[] = {"
	for (k = 0; k < kinds; k++) {
		start[k] = total
		total += count[k] = split(kind_pages[k], page_of, " ")
		for (i = 1; i <= count[k]; i++)
			put(page_of[i] - first ",")
		put("")
	}
	print "};\n"
	print "/* Kinds: where their pages begin, and how many they are. */"
	print "static const struct i915_kind {\n\tu16 first;\n\tu16 count;\n} i915_kinds[] = {"
	for (k = 0; k < kinds; k++)
		put("{ " start[k] ", " count[k] " },")
	put("")
	print "};\n"
	print "/* Which kind came, and how often. */"
	print "static const struct i915_step {\n\tu16 kind;\n\tu16 times;\n} i915_steps[] = {"
	for (s = 0; s < steps; s++)
		put("{ " step_kind[s] ", " step_times[s] " },")
	put("")
	print "};\n"
	print "#endif"
}

# SPDX-License-Identifier: GPL-2.0
set terminal svg size 760,760 font "sans-serif,13" background "#ffffff" name "throughput"
load "style.gp"
set style data linespoints
set logscale x 2
set xtics (3, 6, 9, 12, 15, 24, 32, 64)
set xrange [2.8:70]
set key outside right center
set multiplot layout 3,1
do for [part in "i915 ggtt long"] {
	if (part eq "long") {
		unset logscale y
		set title "work for longer than a turn" textcolor rgb "#222222"
		set ylabel "% of the time that is work"
		set yrange [0:105]
		set xlabel "vGPUs"
		scale = 100
	} else {
		set logscale y
		set format y "%g"
		set title part eq "i915" ? "requests as of a stock i915" : \
			"everything through the GGTT" textcolor rgb "#222222"
		set ylabel "requests a second"
		scale = 1
	}
	plot dir."throughput-".part.".dat" using 1:($2*scale) title "slot, score" linetype 1, \
	     "" using 1:($3*scale) title "slot, size" linetype 2, \
	     "" using 1:($4*scale) title "sparse, size" linetype 3, \
	     "" using 1:($5*scale) title "demand, size" linetype 4, \
	     "" using 1:($6*scale) title "predictive, size" linetype 5, \
	     "" using 1:($7*scale) title "cached" linetype 1 dashtype 2
}
unset multiplot

# SPDX-License-Identifier: GPL-2.0
# What fair-sim.gp and fair-bench.gp have in common: four panels, each of a table with a row for
# each number of vGPUs and a column for each policy.
load "style.gp"
set style data linespoints
set logscale x 2
set xtics (2, 3, 4, 6, 8, 10, 15, 32)
set xrange [1.9:34]
set key outside right center
# What is nothing at all is at the bottom.
shown(y) = y < least ? least : y
set multiplot layout 4,1
do for [panel in "equal weighted wait hostile"] {
	if (panel eq "equal" || panel eq "weighted") {
		set logscale y
		set format y "%g"
		set ylabel "lambda"
		set yrange [1e-5:3]
		least = 1e-5
		scale = 1
	}
	if (panel eq "equal") { set title "all kinds, equal weights" textcolor rgb "#222222" }
	if (panel eq "weighted") { set title "all kinds, 4:2:1" textcolor rgb "#222222" }
	if (panel eq "wait") {
		set title "a vGPU that wakes, beside requests of 8 ms" textcolor rgb "#222222"
		set ylabel "longest wait, ms"
		set yrange [0.1:*]
		least = 0.1
	}
	if (panel eq "hostile") {
		unset logscale y
		set title "a vGPU that does not yield, beside others" textcolor rgb "#222222"
		set ylabel "% of the time"
		set yrange [0:105]
		set xlabel "vGPUs"
		least = 0
		scale = 100
	}
	plot dir.name."-".panel.".dat" using 1:(shown($2*scale)) title "fcfs" linetype 1, \
	     "" using 1:(shown($3*scale)) title "rr" linetype 2, \
	     "" using 1:(shown($4*scale)) title "credit" linetype 3, \
	     "" using 1:(shown($5*scale)) title "cap" linetype 4, \
	     "" using 1:(shown($6*scale)) title "cap, sold" linetype 5, \
	     "" using 1:(shown($7*scale)) title "fair" linetype 6 linewidth 3
}
unset multiplot

# SPDX-License-Identifier: GPL-2.0
set terminal svg size 760,760 font "sans-serif,13" background "#ffffff" name "placement_equal"
load "style.gp"
set style data histograms
set style histogram clustered gap 1
set xrange [-0.7:7.7]
set yrange [0:145]
set ytics 0,25,100
set ylabel "% of score"
set key top left horizontal
set multiplot layout 3,1
do for [high in "384 704 1024"] {
	set title high." MB of high graphics memory" textcolor rgb "#222222"
	if (high eq "1024") { set xlabel "vGPUs" }
	plot dir."placement-equal-".high.".dat" using 2:xtic(1) title "score" linetype 1, \
	     "" using 3 title "size" linetype 2, \
	     "" using 4 title "utilization" linetype 3, \
	     "" using 5 title "optimal" linetype 4, \
	     dir."placement-equal-".high."-52.dat" using 0:4 with points pointtype 2 pointsize 0.8 \
		linecolor rgb "#000000" title "simulated: 52 slots", \
	     dir."placement-equal-".high."-54.dat" using 0:4 with points pointtype 6 pointsize 0.8 \
		linecolor rgb "#000000" title "54 slots"
	unset key
}
unset multiplot

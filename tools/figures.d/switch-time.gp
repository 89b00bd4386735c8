# SPDX-License-Identifier: GPL-2.0
set terminal svg size 760,420 font "sans-serif,13" background "#ffffff" name "switch_time"
load "style.gp"
set style data linespoints
set logscale x 2
set logscale y
set xtics (3, 6, 9, 12, 15, 24, 32, 64)
set format y "%g"
set xrange [2.8:70]
set xlabel "vGPUs"
set ylabel "a switch, ms"
set key outside right center
plot dir."switch-time.dat" using 1:($2/1000) title "slot, score" linetype 1, \
     "" using 1:($3/1000) title "slot, size" linetype 2, \
     "" using 1:($4/1000) title "sparse, size" linetype 3, \
     "" using 1:($5/1000) title "demand, size" linetype 4, \
     "" using 1:($6/1000) title "predictive, size" linetype 5, \
     "" using 1:($7/1000) title "cached" linetype 1 dashtype 2

# SPDX-License-Identifier: GPL-2.0
set terminal svg size 760,380 font "sans-serif,13" background "#ffffff" name "switch_parts"
load "style.gp"
set style data histograms
set style histogram rowstacked
set boxwidth 0.7
set key top left
set xlabel "vGPUs"
set ylabel "a switch, ms"
set xrange [-0.7:7.7]
set yrange [0:*]
plot dir."switch-parts.dat" using ($2/1000):xtic(1) title "low graphics memory" linetype 2, \
     "" using ($3/1000) title "high graphics memory" linetype 3, \
     "" using ($4/1000) title "leaving" linetype 1

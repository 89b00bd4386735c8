# SPDX-License-Identifier: GPL-2.0
# What all figures have in common. A background of their own: for dark pages, too.
set encoding utf8
set datafile separator "\t"
set datafile missing "NaN"
set border 3 linecolor rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set grid ytics linecolor rgb "#dddddd" linewidth 1
set key textcolor rgb "#222222" samplen 2 spacing 1.1
# Colours that can be told apart without seeing red or green.
set linetype 1 linecolor rgb "#444444" linewidth 2 pointtype 7 pointsize 0.6
set linetype 2 linecolor rgb "#0072b2" linewidth 2 pointtype 5 pointsize 0.6
set linetype 3 linecolor rgb "#e69f00" linewidth 2 pointtype 9 pointsize 0.7
set linetype 4 linecolor rgb "#009e73" linewidth 2 pointtype 13 pointsize 0.7
set linetype 5 linecolor rgb "#cc79a7" linewidth 2 pointtype 11 pointsize 0.7
set linetype 6 linecolor rgb "#d55e00" linewidth 2 pointtype 7 pointsize 0.6
set style fill solid 0.85 noborder

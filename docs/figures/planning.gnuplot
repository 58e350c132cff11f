# SPDX-License-Identifier: BSD-3-Clause
# Draws planning.svg from planning.csv; in this folder: gnuplot planning.gnuplot
#   mpiexec -n 2 build/bin/tessera-bench-views --benchmark_filter=planning --benchmark_format=csv >docs/figures/planning.csv
set terminal svg size 640, 400 font "sans-serif,13" background "white"
set output "planning.svg"
set datafile separator comma
set logscale x
set format x "10^{%L}"
set yrange [0:*]
set xlabel "ranks"
set ylabel "microseconds for the lists of one rank"
set key left top
set grid ytics lt 0
in(dimensions) = column("dimensions") == dimensions ? column("ranks") : NaN
set datafile missing NaN
plot "planning.csv" using (in(2)):"us_per_rank" with linespoints pt 7 title "2-D, 8 partners", \
     "planning.csv" using (in(3)):"us_per_rank" with linespoints pt 5 title "3-D, 26 partners"

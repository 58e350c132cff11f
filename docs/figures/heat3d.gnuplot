# SPDX-License-Identifier: BSD-3-Clause
# Draws heat3d.svg from heat3d.csv; in this folder: gnuplot heat3d.gnuplot
#   apps/heat3d/convergence.py build/bin/tessera-heat3d >docs/figures/heat3d.csv
set terminal svg size 640, 400 font "sans-serif,13" background "white"
set output "heat3d.svg"
set datafile separator comma
set logscale xy
set format y "10^{%L}"
set xrange [0.012:0.16]
set yrange [1e-9:1e-1]
set xtics ("1/64" 1.0/64, "1/32" 1.0/32, "1/16" 1.0/16, "1/8" 1.0/8)
set xlabel "h"
set ylabel "greatest error"
set key right bottom
set grid ytics lt 0
h(name) = strcol("series") eq name ? 1.0 / column("intervals") : NaN
set datafile missing NaN
plot "heat3d.csv" using (h("fixed")):"error" with linespoints pt 7 title "fixed border", \
     "heat3d.csv" using (h("periodic")):"error" with linespoints pt 5 title "periodic border", \
     "heat3d.csv" using (h("fourth")):"error" with linespoints pt 9 title "fixed border, courant 1/6", \
     0.06 * x**2 with lines lt 0 lw 2 title "h^2", 0.3 * x**4 with lines lt 0 title "h^4"

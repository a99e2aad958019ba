# A sample & its blocks
set termoption noenhanced
set key outside
set multiplot layout 3,1
$data1 << EOD
"conv1" 8 4
"<b>fc8</b>" 1 NaN
EOD
set autoscale
set title 'time per layer'
set xlabel ''
set ylabel 'ms'
unset logscale
set style fill solid
set style histogram rowstacked
set xtics rotate by -60
plot $data1 using 2:xtic(1) with histograms title 'forward', \
     $data1 using 3:xtic(1) with histograms title 'backward_data'
$data2 << EOD
"conv1, forward" 50 94.1
"fc8 </script>, forward" 0.5 5
EOD
set autoscale
set title 'roofline'
set xlabel 'arithmetic intensity [FLOP/B]'
set ylabel 'attained rate [GFLOP/s]'
set logscale xy
unset xtics
set xtics
plot 200 with lines title 'FMA f32', \
     20 * x with lines title 'DRAM', \
     $data2 using 2:3 with points pt 7 title 'steps'
$data3 << EOD
"hidden 64" 1 11 10 12
"<b>128</b>" 4 41 NaN NaN
EOD
$data4 << EOD
"at none" 0 1 NaN NaN
"" 4 41 NaN NaN
EOD
set autoscale
set title 'time over work'
set xlabel 'work [GFLOP]'
set ylabel 'time [ms]'
unset logscale
set xrange [0:*]
set yrange [0:*]
unset xtics
set xtics
plot $data3 using 2:3 with points pt 7 title 'measured', \
     $data3 using 2:3:4:5 with yerrorbars pt 7 notitle, \
     $data4 using 2:3 with lines title 'the line'
unset multiplot

// SPDX-License-Identifier: MIT
#pragma once

#include "predict/gemm.h"

namespace strata {

// An array of rows x columns multiply-adders.
struct SystolicArray {
    double rows = 128;
    double columns = 128;
};

// The cycles of one array for a product with weights B, if the next weights load while rows of A
// stream past the present ones, as on TPUs: ceil(k / rows) ceil(n / columns) max(rows, m in whole
// eights), and one fill and drain. (After the equations for an array's fill, stream and drain of
// Samajdar et al., "SCALE-Sim: systolic CNN accelerator simulator", 2018.)
double overlapped_cycles(const GemmProblem& problem, SystolicArray array);

// Rates of products on a device with systolic arrays. Each is positive; a fit moves them.
struct SystolicRates {
    Seconds launch{25e-6};         // per operation
    double efficiency = 0.9;       // of the arrays' cycles
    double dram_efficiency = 0.5;  // of the stated bandwidth
};

// A prediction and its terms.
struct SystolicPrediction {
    Seconds time;
    Seconds launch;
    Seconds arithmetic;
    Seconds dram;
    double cycles = 0;       // of the busiest array
    double utilisation = 0;  // of all arrays' multiply-adders during `arithmetic`
};

// The time of a product on a chip. Its cores divide the batch, or else the rows of A; each core's
// arrays divide the columns of B: time = launch + max(cycles / (clock efficiency), traffic /
// (bandwidth dram_efficiency)). Operands and result move once, padded to whole parts of the array
// along k and n and to eights along m. Throws Error if the device lacks matrix lanes, a clock or a
// bandwidth.
SystolicPrediction predict_systolic_gemm(const GemmProblem& problem,
                                         const DeviceDescription& device,
                                         const SystolicRates& rates);

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// What follows the name of a class of such operators in 16 bits.
inline constexpr std::string_view in_16_bits = " 16 bits";

// An operator that reads and writes tensors of rows x columns element by element or row by row:
// "add", "relu", "softmax", "ln" (layer normalisation).
struct StreamingProblem {
    std::string op;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    double element_bytes = 4;

    // What has to move: two operands and a result of add, mul, div, pow and act_mul (SwiGLU),
    // weights, gradients and moments of adam, and so on; one operand and a result of operators not
    // known.
    Bytes traffic() const;
    // Whether a block takes a whole row: one that is reduced before it is written, or that belongs
    // to one token, as inference libraries rotate, look up and gate them.
    bool reduces_rows() const;
    // The kernel that PyTorch runs it by, whose rates are its own: softmax keeps rows of up to
    // 1,024 elements in a warp's registers, and measured layer normalisations differ there, too; in
    // 16 bits they are others.
    std::string kernel() const;
};

// Rates of one such operator on a device. Each is positive; a fit moves them.
struct StreamingRates {
    Seconds launch{30e-6};     // with what a framework adds
    double efficiency = 0.85;  // of the stated bandwidth
    Bytes hidden{10e6};        // what moves while the launch still takes its time
    Bytes edge{1e6};           // how gradually that ends
    // Tensors up to this stay in the L2 cache from one run to the next, and take this share of the
    // time that memory would.
    Bytes resident{1e6};
    double cached = 1;
    Seconds row{0.5e-6};      // of reductions: latency of a row
    Seconds element{0.2e-9};  // of reductions: of each element of a row, one after the other
};

// Rates before anything is measured: what is usual, with the L2 cache of this device.
StreamingRates prior_streaming_rates(const DeviceDescription& device);

struct StreamingPrediction {
    Seconds time;
    Seconds launch;
    Seconds dram;
    Seconds latency;  // of reductions
};

// time = launch + (dram^4 + latency^4)^(1/4), where dram is the traffic beyond what the launch
// hides, edge ln(1 + exp((traffic - hidden) / edge)), over the bandwidth reached, or a share of
// it where tensors are resident; latency is that of rows in waves, eight on each
// processor.
StreamingPrediction predict_streaming(const StreamingProblem& problem,
                                      const DeviceDescription& device, const StreamingRates& rates);

// The same of any operator that moves so many bytes; `rows` of so many elements are reduced before
// they are written, without any there is no latency.
struct Stream {
    Bytes traffic;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};
StreamingPrediction predict_streaming(const Stream& stream, const DeviceDescription& device,
                                      const StreamingRates& rates);

}  // namespace strata

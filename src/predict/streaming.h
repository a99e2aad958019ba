// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// The suffix of such operators' class names in 16 bits.
inline constexpr std::string_view in_16_bits = " 16 bits";

// An operator that reads and writes tensors of rows x columns element by element or row by row:
// "add", "relu", "softmax", "ln" (layer normalisation).
struct StreamingProblem {
    std::string op;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    double element_bytes = 4;

    // The compulsory traffic: two operands and a result for add, mul, div, pow and act_mul
    // (SwiGLU), weights, gradients and moments for adam, and so on; one operand and a result for
    // unknown operators.
    Bytes traffic() const;
    // Whether a block processes a whole row: a row is reduced before it is written, or belongs to
    // one token, as inference libraries rotate, look up and gate them.
    bool reduces_rows() const;
    // The PyTorch kernel that runs it, with rates of its own: softmax keeps rows of up to 1,024
    // elements in a warp's registers, and measured layer normalisations also differ there; 16 bits
    // have other kernels.
    std::string kernel() const;
};

// Rates of one such operator on a device. Each is positive; a fit moves them.
struct StreamingRates {
    Seconds launch{30e-6};     // including the framework's share
    double efficiency = 0.85;  // of the stated bandwidth
    Bytes hidden{10e6};        // traffic that the launch hides
    Bytes edge{1e6};           // how gradually that ends
    // Tensors up to this size stay in the L2 cache between runs; they then take this share of the
    // memory's time.
    Bytes resident{1e6};
    double cached = 1;
    Seconds row{0.5e-6};      // for reductions: latency of a row
    Seconds element{0.2e-9};  // for reductions: each element of a row, in sequence
};

// Rates before any measurement: the usual ones, with this device's L2 cache.
StreamingRates prior_streaming_rates(const DeviceDescription& device);

struct StreamingPrediction {
    Seconds time;
    Seconds launch;
    Seconds dram;
    Seconds latency;  // for reductions
};

// time = launch + (dram^4 + latency^4)^(1/4). dram is the traffic that the launch does not hide,
// edge ln(1 + exp((traffic - hidden) / edge)), over the bandwidth reached, or a share of that if
// tensors are resident. latency is that of rows in waves, eight per processor.
StreamingPrediction predict_streaming(const StreamingProblem& problem,
                                      const DeviceDescription& device, const StreamingRates& rates);

// The same for any operator with this traffic. `rows` of `columns` elements are reduced before they
// are written; without rows there is no latency.
struct Stream {
    Bytes traffic;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};
StreamingPrediction predict_streaming(const Stream& stream, const DeviceDescription& device,
                                      const StreamingRates& rates);

}  // namespace strata

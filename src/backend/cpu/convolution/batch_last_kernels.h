// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

// The innermost loops of convolutions of images whose batch is the fastest dimension: a vector
// holds the same element of as many images as it has lanes.
namespace strata::cpu::batch_last {

using Index = std::ptrdiff_t;

// Results side by side: for each of a few channels and each point, the sum over all taps of a
// weight times the elements of the images under that tap. Distances are in floats.
struct SumStrip {
    // The part of the source [channel][row][column][image] that the strip needs.
    const float* source = nullptr;
    Index source_channel = 0;
    Index source_row = 0;
    Index source_point = 0;          // from the elements for one result to those for the next
    const Index* columns = nullptr;  // of each tap of a row
    const float* weights = nullptr;  // [channel][row][tap][result], packed
    Index weight_channel = 0;
    Index weight_row = 0;
    Index channels = 0;
    Index rows = 0;
    Index taps = 0;  // of a row
    Index points = 0;
    float* results = nullptr;  // whole vectors
    Index result_channel = 0;
    Index result_point = 0;
    bool adds = false;              // to the existing values; otherwise to bias and addend
    const float* bias = nullptr;    // one for each channel, or null
    const float* addend = nullptr;  // laid out like the results, possibly the same memory, or null
    bool relu = false;
};

// Products of the gradients of a few channels with the elements under a few taps, summed over
// points and images and added to the gradients of their weights.
struct PairStrip {
    const float* gradients = nullptr;  // [channel][row][point][image]
    Index gradient_channel = 0;
    Index gradient_row = 0;
    const float* source = nullptr;
    const Index* taps = nullptr;  // the start of each tap's elements
    Index source_row = 0;
    Index source_point = 0;
    Index rows = 0;
    Index points = 0;
    Index floats = 0;       // of the images at a point: whole vectors
    float* sums = nullptr;  // [channel][tap]
    Index sums_channel = 0;
};

using SumKernel = void (*)(const SumStrip&);
using PairKernel = void (*)(const PairStrip&);

// The kernels for one width of registers, those for fewer channels or taps first.
inline constexpr std::size_t max_results = 12;
inline constexpr std::size_t max_gradients = 6;
inline constexpr std::size_t max_taps = 4;
inline constexpr std::size_t max_vectors = 2;
struct Kernels {
    Index lanes = 0;
    Index results = 0;    // channels of a strip of sums
    Index gradients = 0;  // channels of a strip of pairs
    Index taps = 0;       // of a strip of pairs
    SumKernel sum[max_results][max_vectors] = {};
    PairKernel pair[max_gradients][max_taps] = {};
};
const Kernels& kernels_portable();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();

}  // namespace strata::cpu::batch_last

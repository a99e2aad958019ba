// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/batch_last_kernels.h"

#include <cstring>
#include <utility>

// A file for each width of registers includes this one with its own compiler options.
// Instantiations have the registers' type in their names, so that the linker cannot confuse them.
namespace strata::cpu::batch_last {

template <class Vector>
struct Lanes {
    static constexpr Index count = sizeof(Vector) / sizeof(float);

    [[gnu::always_inline]] static Vector load(const float* from) {
        Vector value;
        std::memcpy(&value, from, sizeof(Vector));
        return value;
    }
    [[gnu::always_inline]] static void store(float* to, const Vector& value) {
        std::memcpy(to, &value, sizeof(Vector));
    }
    // Adds in the same order in every call.
    [[gnu::always_inline]] static float sum(const Vector& value) {
        float lanes[sizeof(Vector) / sizeof(float)];
        store(lanes, value);
        for (Index half = count / 2; half > 0; half /= 2) {
            for (Index i = 0; i < half; ++i) {
                lanes[i] += lanes[i + half];
            }
        }
        return lanes[0];
    }
};

template <class Vector, std::size_t results, std::size_t vectors>
using Sums = Vector[results][vectors];

template <class Vector, std::size_t results, std::size_t vectors>
[[gnu::always_inline]] inline void begin_sums(const SumStrip& strip, Index at,
                                              Sums<Vector, results, vectors>& sums) {
    using L = Lanes<Vector>;
#pragma GCC unroll 12
    for (std::size_t k = 0; k < results; ++k) {
        const Index place = at + static_cast<Index>(k) * strip.result_channel;
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; ++v) {
            const Index lane = static_cast<Index>(v) * L::count;
            if (strip.adds) {
                sums[k][v] = L::load(strip.results + place + lane);
                continue;
            }
            sums[k][v] = Vector{} + (strip.bias != nullptr ? strip.bias[k] : 0.0F);
            if (strip.addend != nullptr) {
                sums[k][v] += L::load(strip.addend + place + lane);
            }
        }
    }
}

template <class Vector, std::size_t results, std::size_t vectors>
[[gnu::always_inline]] inline void end_sums(const SumStrip& strip, Index at,
                                            Sums<Vector, results, vectors>& sums) {
    using L = Lanes<Vector>;
#pragma GCC unroll 12
    for (std::size_t k = 0; k < results; ++k) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; ++v) {
            const Vector zero = {};
            const Vector& sum = sums[k][v];
            L::store(strip.results + at + static_cast<Index>(k) * strip.result_channel +
                         static_cast<Index>(v) * L::count,
                     strip.relu ? (sum < zero ? zero : sum) : sum);
        }
    }
}

// Each weight is broadcast to a register once and multiplied with all vectors of images; each
// vector is read once and used for all results.
template <class Vector, std::size_t results, std::size_t vectors>
void sum_strip(const SumStrip& strip) {
    using L = Lanes<Vector>;
    for (Index point = 0; point < strip.points; ++point) {
        Sums<Vector, results, vectors> sums;
        begin_sums<Vector, results, vectors>(strip, point * strip.result_point, sums);
        for (Index c = 0; c < strip.channels; ++c) {
            const float* source =
                strip.source + c * strip.source_channel + point * strip.source_point;
            const float* weights = strip.weights + c * strip.weight_channel;
            for (Index r = 0; r < strip.rows; ++r, source += strip.source_row) {
                const float* weight = weights + r * strip.weight_row;
                for (Index t = 0; t < strip.taps; ++t, weight += results) {
                    const float* from = source + strip.columns[t];
                    Vector elements[vectors];
#pragma GCC unroll 2
                    for (std::size_t v = 0; v < vectors; ++v) {
                        elements[v] = L::load(from + static_cast<Index>(v) * L::count);
                    }
#pragma GCC unroll 12
                    for (std::size_t k = 0; k < results; ++k) {
#pragma GCC unroll 2
                        for (std::size_t v = 0; v < vectors; ++v) {
                            sums[k][v] += weight[k] * elements[v];
                        }
                    }
                }
            }
        }
        end_sums<Vector, results, vectors>(strip, point * strip.result_point, sums);
    }
}

template <class Vector, std::size_t gradients, std::size_t taps>
void pair_strip(const PairStrip& strip) {
    using L = Lanes<Vector>;
    Vector sums[gradients][taps] = {};
    for (Index r = 0; r < strip.rows; ++r) {
        const float* gradient = strip.gradients + r * strip.gradient_row;
        const float* source = strip.source + r * strip.source_row;
        for (Index p = 0; p < strip.points; ++p, source += strip.source_point) {
            for (Index lane = 0; lane < strip.floats; lane += L::count, gradient += L::count) {
                Vector elements[taps];
#pragma GCC unroll 4
                for (std::size_t t = 0; t < taps; ++t) {
                    elements[t] = L::load(source + strip.taps[t] + lane);
                }
#pragma GCC unroll 6
                for (std::size_t k = 0; k < gradients; ++k) {
                    const Vector dy =
                        L::load(gradient + static_cast<Index>(k) * strip.gradient_channel);
#pragma GCC unroll 4
                    for (std::size_t t = 0; t < taps; ++t) {
                        sums[k][t] += dy * elements[t];
                    }
                }
            }
        }
    }
    for (std::size_t k = 0; k < gradients; ++k) {
        for (std::size_t t = 0; t < taps; ++t) {
            strip.sums[static_cast<Index>(k) * strip.sums_channel + static_cast<Index>(t)] +=
                L::sum(sums[k][t]);
        }
    }
}

template <class Vector, std::size_t... results>
constexpr void add_sums(Kernels& kernels, std::index_sequence<results...>) {
    ((kernels.sum[results][0] = sum_strip<Vector, results + 1, 1>,
      kernels.sum[results][1] = sum_strip<Vector, results + 1, 2>),
     ...);
}

template <class Vector, std::size_t gradients, std::size_t... taps>
constexpr void add_pairs_of(Kernels& kernels, std::index_sequence<taps...>) {
    ((kernels.pair[gradients][taps] = pair_strip<Vector, gradients + 1, taps + 1>), ...);
}
template <class Vector, std::size_t taps, std::size_t... gradients>
constexpr void add_pairs(Kernels& kernels, std::index_sequence<gradients...>) {
    (add_pairs_of<Vector, gradients>(kernels, std::make_index_sequence<taps>()), ...);
}

// `results` x 2 sums, 2 vectors of images and a weight in registers at once; and `gradients` x
// `taps` sums, the vectors of the taps and a gradient.
template <class Vector, std::size_t results, std::size_t gradients, std::size_t taps>
constexpr Kernels kernels_of() {
    Kernels kernels = {
        .lanes = Lanes<Vector>::count, .results = results, .gradients = gradients, .taps = taps};
    add_sums<Vector>(kernels, std::make_index_sequence<results>());
    add_pairs<Vector, taps>(kernels, std::make_index_sequence<gradients>());
    return kernels;
}

}  // namespace strata::cpu::batch_last

// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/winograd_transform.h"

#include <cstddef>
#include <cstring>

// The transforms of Winograd's convolutions over images: each lane of a vector holds the same
// element of another channel. A file for each width of registers includes this one with its own
// compiler options.
namespace strata::cpu::winograd {

constexpr std::ptrdiff_t distance(std::size_t floats) {
    return static_cast<std::ptrdiff_t>(floats);
}

// Distances in floats between elements of a tile, and between tiles side by side.
struct Steps {
    std::ptrdiff_t row = 0;
    std::ptrdiff_t column = 0;
    std::ptrdiff_t tile = 0;
};

// The rows or columns of a tile that are inside the image.
struct Inside {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[gnu::always_inline]] bool has(std::size_t i) const { return begin <= i && i < end; }
    [[gnu::always_inline]] bool whole(std::size_t extent) const {
        return begin == 0 && end == extent;
    }
};

// Tiles side by side, and how to transform them.
struct Strip {
    const float* from = nullptr;
    Steps from_steps;
    float* to = nullptr;
    Steps to_steps;
    std::size_t tiles = 1;
    std::size_t channels = 0;  // contiguous; a multiple of the lanes
    // The part of a tile inside the image: the rest is read as zero, and not written.
    Inside rows;
    Inside columns;
    const float* bias = nullptr;    // for each channel
    const float* addend = nullptr;  // laid out like `to`, or `to` itself
    bool relu = false;
};

using Codelet = void (*)(const Strip&);

// How a codelet reads, changes and writes its vectors.
template <class Scalar>
struct Element {
    static constexpr std::size_t lanes = sizeof(Scalar) / sizeof(float);

    [[gnu::always_inline]] static void load(const float* from, Scalar& value) {
        std::memcpy(&value, from, sizeof(Scalar));
    }
    [[gnu::always_inline]] static void store(float* to, const Scalar& value) {
        std::memcpy(to, &value, sizeof(Scalar));
    }
    [[gnu::always_inline]] static void add_bias(const Scalar& bias, Scalar& value) {
        value += bias;
    }
    [[gnu::always_inline]] static void add(const float* from, Scalar& value) {
        Scalar addend;
        load(from, addend);
        value += addend;
    }
    [[gnu::always_inline]] static void rectify(Scalar& value) {
        const Scalar zero = {};
        value = value < zero ? zero : value;
    }
};

template <class Transform, class Scalar, bool whole>
void transform_from_image(const Strip& strip) {
    using E = Element<Scalar>;
    for (std::size_t i = 0; i < strip.tiles; ++i) {
        const auto tile = static_cast<std::ptrdiff_t>(i);
        for (std::size_t lane = 0; lane < strip.channels; lane += E::lanes) {
            const float* from = strip.from + tile * strip.from_steps.tile + lane;
            float* to = strip.to + tile * strip.to_steps.tile + lane;
            transform_square<Transform, Scalar>(
                [&](auto y, auto x, Scalar& value) __attribute__((always_inline)) {
                    if (whole || (strip.rows.has(y) && strip.columns.has(x))) {
                        E::load(from + std::ptrdiff_t{y} * strip.from_steps.row +
                                    std::ptrdiff_t{x} * strip.from_steps.column,
                                value);
                    } else {
                        value = Scalar{};
                    }
                },
                [&](auto y, auto x, const Scalar& value) __attribute__((always_inline)) {
                    E::store(to + std::ptrdiff_t{y} * strip.to_steps.row +
                                 std::ptrdiff_t{x} * strip.to_steps.column,
                             value);
                });
        }
    }
}

template <class Transform, class Scalar, bool whole>
void transform_to_image(const Strip& strip) {
    using E = Element<Scalar>;
    for (std::size_t i = 0; i < strip.tiles; ++i) {
        const auto tile = static_cast<std::ptrdiff_t>(i);
        for (std::size_t lane = 0; lane < strip.channels; lane += E::lanes) {
            const float* from = strip.from + tile * strip.from_steps.tile + lane;
            float* to = strip.to + tile * strip.to_steps.tile + lane;
            Scalar bias = {};
            if (strip.bias != nullptr) {
                E::load(strip.bias + lane, bias);
            }
            transform_square<Transform, Scalar>(
                [&](auto y, auto x, Scalar& value) __attribute__((always_inline)) {
                    E::load(from + std::ptrdiff_t{y} * strip.from_steps.row +
                                std::ptrdiff_t{x} * strip.from_steps.column,
                            value);
                },
                [&](auto y, auto x, const Scalar& value) __attribute__((always_inline)) {
                    if (!whole && !(strip.rows.has(y) && strip.columns.has(x))) {
                        return;
                    }
                    Scalar result = value;
                    if (strip.bias != nullptr) {
                        E::add_bias(bias, result);
                    }
                    const std::ptrdiff_t place = std::ptrdiff_t{y} * strip.to_steps.row +
                                                 std::ptrdiff_t{x} * strip.to_steps.column;
                    if (strip.addend != nullptr) {
                        E::add(strip.addend + (to - strip.to) + place, result);
                    }
                    if (strip.relu) {
                        E::rectify(result);
                    }
                    E::store(to + place, result);
                });
        }
    }
}

// Transforms tiles of an image, and back; tiles at the image's edge are slower.
template <class Transform, class Scalar>
void from_image(const Strip& strip) {
    const bool whole =
        strip.rows.whole(Transform::inputs) && strip.columns.whole(Transform::inputs);
    (whole ? transform_from_image<Transform, Scalar, true>
           : transform_from_image<Transform, Scalar, false>)(strip);
}
template <class Transform, class Scalar>
void to_image(const Strip& strip) {
    const bool whole =
        strip.rows.whole(Transform::outputs) && strip.columns.whole(Transform::outputs);
    (whole ? transform_to_image<Transform, Scalar, true>
           : transform_to_image<Transform, Scalar, false>)(strip);
}

// The codelets of F(m x m, r x r). For the gradient of the weights the roles change: the gradients
// of m x m outputs are the filter and r x r weights the outputs, F(r x r, m x m), whose transform
// of the data is the same.
struct WinogradCodelets {
    std::size_t lanes = 0;
    Codelet input = nullptr;            // (m + r - 1)^2 elements of x to as many products
    Codelet filter = nullptr;           // r x r weights
    Codelet output = nullptr;           // to m x m elements of y
    Codelet output_gradient = nullptr;  // m x m elements of y's gradient
    Codelet filter_gradient = nullptr;  // to r x r elements of the weights' gradient
};

// The codelets, in the order of the methods' list.
enum class WinogradTile { f2x2_3x3, f4x4_3x3, f6x6_3x3, f2x2_5x5, f4x4_5x5 };
inline constexpr std::size_t winograd_tiles = 5;

struct WinogradCosts {
    TransformCost input, filter, output, output_gradient, filter_gradient;
};

template <std::size_t m, std::size_t r>
struct WinogradTransforms {
    static constexpr std::size_t size = m + r - 1;
    using Input = InputTransform<size>;
    using Filter = FilterTransform<size, r>;
    using Output = OutputTransform<m, size>;
    using OutputGradient = FilterTransform<size, m>;
    using FilterGradient = OutputTransform<r, size>;

    template <class Scalar>
    static constexpr WinogradCodelets codelets() {
        return {Element<Scalar>::lanes,
                from_image<Input, Scalar>,
                from_image<Filter, Scalar>,
                to_image<Output, Scalar>,
                from_image<OutputGradient, Scalar>,
                to_image<FilterGradient, Scalar>};
    }
    static constexpr WinogradCosts costs() {
        return {cost_of_square<Input>(), cost_of_square<Filter>(), cost_of_square<Output>(),
                cost_of_square<OutputGradient>(), cost_of_square<FilterGradient>()};
    }
};

using WinogradTable = std::array<WinogradCodelets, winograd_tiles>;

template <class Scalar>
constexpr WinogradTable winograd_table() {
    return {
        WinogradTransforms<2, 3>::codelets<Scalar>(), WinogradTransforms<4, 3>::codelets<Scalar>(),
        WinogradTransforms<6, 3>::codelets<Scalar>(), WinogradTransforms<2, 5>::codelets<Scalar>(),
        WinogradTransforms<4, 5>::codelets<Scalar>()};
}

const WinogradTable& winograd_avx512();
const WinogradTable& winograd_avx2();
const WinogradTable& winograd_portable();

}  // namespace strata::cpu::winograd

// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <string_view>

namespace strata {

// The four passes of a training step over a layer.
enum class Pass { forward, backward_data, backward_weights, update };

inline constexpr std::array all_passes = {Pass::forward, Pass::backward_data,
                                          Pass::backward_weights, Pass::update};

// "forward", "backward_data", ...; parse also takes '-' for '_' and throws Error.
std::string_view name_of(Pass pass);
Pass parse_pass(std::string_view name);

// Arithmetic by kind, so that each published way of counting is a choice of weights rather than its
// own formula. Bias additions are separate because most publications leave them out.
struct Operations {
    double multiply_adds = 0;
    double adds = 0;  // including subtractions
    double multiplies = 0;
    double divides = 0;
    double compares = 0;
    double transcendentals = 0;  // exp, log, pow, tanh, sqrt
    double bias_adds = 0;

    bool operator==(const Operations&) const = default;
    Operations& operator+=(const Operations& other);
    Operations& operator*=(double factor);
};

// The work of an operator, independent of the backend: arithmetic and compulsory traffic, with each
// operand read once and each result written once.
struct Work {
    Operations operations = {};
    Bytes read = {};
    Bytes written = {};

    bool operator==(const Work&) const = default;
    Work& operator+=(const Work& other);
    Bytes traffic() const { return read + written; }
};

// Which forward values the backward passes of an operator read again. It decides both their
// traffic and which activations must be kept until then.
struct BackwardReads {
    bool input_for_data = false;
    bool output_for_data = false;
    bool parameters_for_data = false;
    bool input_for_weights = false;
    // Bytes that the forward pass saves besides its results, per element of the first of them:
    // masks, indices, gates.
    double saved_bytes_per_output = 0;
    // For a product: an operand's gradient needs the other operands, not the operand itself.
    bool only_others_for_data = false;
    // The weight gradients use results of backward_data, which must run first, as in
    // backpropagation through time.
    bool data_before_weights = false;
};

}  // namespace strata

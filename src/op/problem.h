// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// An attribute and its value as text.
struct Attribute {
    std::string name;
    std::string value;

    bool operator==(const Attribute&) const = default;
};

// Names of every operator, in the order of THE list.
std::vector<std::string> operator_names();

// The attributes with non-default values, in the operator's order.
std::vector<Attribute> attributes_of(const Op& op);

// "convolution out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1": attributes with their default
// value are left out.
std::string to_text(const Op& op);

// Inverse of to_text. Throws Error that names the operator and the attribute, with the nearest
// known.
Op parse_op(std::string_view text);

// An operator and its activations, which decide its parameters, shapes and work.
struct Problem {
    Op op;
    std::vector<Operand> activations;

    bool operator==(const Problem&) const = default;
};

// No operator requests more of its own operands; a bidirectional recurrent one requests six.
inline constexpr std::size_t max_own_operands = 16;

// The operands that the operator does not request by itself, and all if it would request the others
// in another type: in mixed precision, the masters of 16-bit weights are f32.
Problem problem_of(const Op& op, const Signature& signature);

// How many of its operands the operator does not request, in whatever type.
std::size_t activations_of(const Problem& problem);

// The problem with its parameters and results. Throws Error if shapes do not fit.
Signature signature_of(const Problem& problem);

// One line: "convolution(32x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2".
// Operands other than f32 activations are marked: "matmul(8x64, 64x10:parameter)", "128:s64:label".
std::string to_text(const Problem& problem);

// Inverse of to_text; also takes the short forms "conv:n32c96h27w27k256r5s5p2" and
// "fc:n32c9216k4096" (parse_short_problem). Throws Error.
Problem parse_problem(std::string_view text);

// The short notation for the two operators timed most often: letters with numbers in any order,
// much as in benchdnn and DNNMark:
//   conv:n32c96h27w27k256r5s5p2   convolution(32x96x27x27) out_channels=256 kernel=5x5, padding 2
//   fc:n32c9216k4096              fully_connected(32x9216) out_features=4096
// n batch, c input channels, h and w the plane, k output channels, r and s the kernel's height and
// width, p pad, u stride, d dilation, g groups. n, p, u, d and g may be absent (then 1, and p 0),
// as may w (then h) and s (then r). Neither operator has a bias here. Throws Error that names the
// letter.
bool is_short_problem(std::string_view text);
Problem parse_short_problem(std::string_view text);

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

#include <span>

namespace strata {

// A published way of counting floating-point operations: a weight for each kind of arithmetic and,
// if the publication has its own formula for an operator, that formula (op/convention/).
struct Convention {
    std::string_view name;
    std::string_view meaning;  // one sentence, with its source
    double multiply_add = 2;
    double add = 1;
    double multiply = 1;
    double divide = 1;
    double compare = 1;
    double transcendental = 1;
    double bias_add = 0;
    // Overrides the weights for the operators it knows: true and `flops` set, or false.
    bool (*special)(const Op& op, const Signature& signature, Pass pass, Flops& flops) = nullptr;
};

// THE list; the first, multiply-add-2, is the default everywhere.
std::span<const Convention> conventions();

// Throws Error with exit code usage and the nearest name.
const Convention& find_convention(std::string_view name);

// The operations of one pass of an operator, counted by a convention.
Flops count(const Op& op, const Signature& signature, Pass pass, const Convention& convention,
            const UpdateCost& update = {});

}  // namespace strata

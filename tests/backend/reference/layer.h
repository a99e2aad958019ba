// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/reference/operators.h"

#include <limits>
#include <span>
#include <vector>

namespace strata::testing {

// One layer with its own values, for tests of the reference operators. The shapes come from the
// operator's rules. The values are distinct, and in small tensors at least 0.05 from zero and from
// each other, so that a small step crosses no kink.
struct ReferenceLayer {
    // `roles` are the roles of the activations, in order. Those not given are activations; a label
    // holds integers.
    ReferenceLayer(Op op, std::vector<Dims> activations, std::vector<Role> roles = {});

    // Fills the outputs; backward fills the gradients of everything that is not a label or
    // statistic.
    void forward();
    void backward();

    // Sum over the outputs of value times output gradient: the scalar that backward differentiates.
    double objective();

    Op op;
    Signature signature;
    Execution execution;
    std::vector<HostValues> inputs;
    std::vector<HostValues> outputs;
    std::vector<HostValues> output_gradients;
    std::vector<HostValues> input_gradients;
    std::vector<HostValues> statistics;

private:
    ReferenceOperands operands();
};

// A layer run forward on given inputs, and its first output.
ReferenceLayer run(const Op& op, const std::vector<Dims>& dims, std::vector<HostValues> inputs,
                   const std::vector<Role>& roles = {});
HostValues result_of(const Op& op, const std::vector<Dims>& dims, std::vector<HostValues> inputs,
                     const std::vector<Role>& roles = {});

// Compares every gradient of a layer with central differences of fourth order; fails the test if
// they differ by more than `tolerance` times the operand's largest gradient.
void expect_gradients_match_differences(ReferenceLayer layer, double tolerance = 2e-4);

// Distinct values spread over [-1.5, 1.5], none of them zero, in an order that depends on the salt.
HostValues spread_values(std::size_t count, std::size_t salt);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

double dot(std::span<const float> a, std::span<const float> b);

}  // namespace strata::testing

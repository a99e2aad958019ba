// SPDX-License-Identifier: MIT
#pragma once

#include "backend/peer/libtorch/network.h"

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace strata::libtorch {

using Tensors = std::vector<at::Tensor>;

// A layer's results from its operands. What its attributes say is read once, when it is made.
using Operator = std::function<Tensors(const Tensors& operands)>;

// How a layer is run.
struct Setting {
    bool training = false;
    bool verified = false;   // what libtorch defines otherwise is brought to strata's definitions
    at::Tensor scales = {};  // of a dropout that is verified
};

// Throws Refusal where libtorch has no such operator.
Operator operator_of(const ToldLayer& layer, const Setting& setting);

// A GRU's operand with the first two blocks of its rows, z and r, in libtorch's order, or back in
// strata's.
at::Tensor rows_of_gru(const at::Tensor& value, std::int64_t hidden);

}  // namespace strata::libtorch

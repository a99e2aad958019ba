// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"

namespace strata {

// How an operator's pass reads and writes its tensors: the class of its rates, and the rows that it
// reduces before it writes.
struct StreamKind {
    RateClass rates = RateClass::add;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

// For rows with this many columns: short or long.
StreamKind rows_kind(RateClass of_short, RateClass of_long, std::int64_t elements,
                     std::int64_t columns);

// By operator, for every pass but the update.
StreamKind stream_kind(const Op& op, const Signature& signature);

// The traffic of a pass: what the operator requires, the input once more for normalisations by the
// batch's or a group's statistics, and for gradients of pooling what their windows read.
Bytes stream_traffic(const LayerTask& task);

// Whether the operator adds a bias to its products.
bool adds_bias(const Op& op);

}  // namespace strata

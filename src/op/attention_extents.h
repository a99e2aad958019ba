// SPDX-License-Identifier: MIT
#pragma once

#include "op/attention.h"

namespace strata {

// The extents that an attention's operands give it.
struct AttentionExtents {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t width = 0;        // of a query and a key
    std::int64_t value_width = 0;  // of a value and a result
    double scale = 1;
    bool packed = true;  // heads side by side in one row, or one behind the other
};

// Requires: operands that the shape rule accepts.
AttentionExtents extents_of(const Attention& op, const Signature& signature);

}  // namespace strata

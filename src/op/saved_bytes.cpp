// SPDX-License-Identifier: MIT
#include "op/saved_bytes.h"

#include "op/attention_extents.h"
#include "op/operations.h"

namespace strata {

namespace {

template <class T>
Bytes saved_bytes(const T& op, const Signature& signature) {
    Bytes sum;
    for (const Tensor& output : signature.outputs) {
        sum += Bytes{op.reads().saved_bytes_per_output * count_of(output)};
    }
    return sum;
}

Bytes saved_bytes(const Attention& op, const Signature& signature) {
    const AttentionExtents e = extents_of(op, signature);
    return {4.0 * static_cast<double>(e.batch * e.heads) * static_cast<double>(e.queries)};
}

// Gates, cells and states go with the sequence, not with the last states.
Bytes saved_bytes(const Recurrent& op, const Signature& signature) {
    return {op.reads().saved_bytes_per_output * count_of(signature.outputs[0])};
}

}  // namespace

Bytes saved_bytes_of(const Op& op, const Signature& signature) {
    return std::visit([&](const auto& one) { return saved_bytes(one, signature); }, op);
}

}  // namespace strata

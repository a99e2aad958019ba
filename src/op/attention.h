// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Scaled dot-product attention (Vaswani et al. 2017): softmax(q k^T * scale + mask) v, per
// head. Operands packed, q[N,S,heads*D], k[N,T,kv_heads*D], v[N,T,kv_heads*E] -> y[N,S,heads*E], or
// by head, q[N,heads,S,D] and so on -> y[N,heads,S,E]. If there are fewer key heads than query
// heads, neighbouring query heads share one (grouped-query attention, Ainslie et al. 2023). A
// fourth operand is added to the scores, broadcast to [N,heads,S,T]. Causal: position s sees keys
// up to s + T - S.
struct Attention {
    static constexpr std::string_view type = "attention";
    std::int64_t heads = 1;     // for packed operands; by head it is an extent
    std::int64_t kv_heads = 0;  // 0: as many as heads
    bool causal = false;
    double scale = 0;  // 0: 1 / sqrt(D)

    bool operator==(const Attention&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("heads", self.heads);
        visit("kv_heads", self.kv_heads);
        visit("causal", self.causal);
        visit("scale", self.scale);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    Bytes saved_bytes(const Signature& signature) const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

// The extents of an attention layer, from its operands.
struct AttentionExtents {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t width = 0;        // size of a query and a key
    std::int64_t value_width = 0;  // size of a value and a result
    double scale = 1;
    bool packed = true;  // heads side by side in one row, or one after another
};

// Requires: operands that the shape rule accepts.
AttentionExtents extents_of(const Attention& op, const Signature& signature);

}  // namespace strata

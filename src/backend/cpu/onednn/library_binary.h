// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/lowering.h"
#include "op/elementwise.h"

#include <optional>

namespace strata::cpu {

// Two operands for the library's own primitive; the one with the result's shape comes first, in its
// layout.
class LibraryBinary {
public:
    // Empty if the library has no such function, or only a reference implementation for these
    // operands.
    static std::optional<LibraryBinary> of(Lowering& lowering, const Layer& layer,
                                           ElementwiseKind kind);

    std::size_t whole() const { return whole_; }  // which operand has the result's shape

    void forward(Lowering& lowering, const Layer& layer) const;

    // In a product, the gradient of the operand with the result's shape is dy times the other
    // operand: the forward primitive on other memory.
    Call scaled_gradient(Lowering& lowering, const Layer& layer) const;

private:
    LibraryBinary(dnnl::binary::primitive_desc described, std::size_t whole, TensorView left,
                  Desc right)
        : described_(std::move(described)),
          whole_(whole),
          left_(std::move(left)),
          right_(std::move(right)) {}

    dnnl::binary::primitive_desc described_;
    std::size_t whole_ = 0;
    TensorView left_;
    Desc right_;
};

}  // namespace strata::cpu

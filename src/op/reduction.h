// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The supported statistics.
enum class ReductionKind {
    sum,
    mean,
    maximum,
    minimum,
    product,
    sum_of_squares,
    l1,
    l2,
    log_sum,
    log_sum_exp
};

inline constexpr std::array<std::string_view, 10> names_of(ReductionKind) {
    return {"sum", "mean", "maximum", "minimum",    "product", "sum_of_squares",
            "l1",  "l2",   "log_sum", "log_sum_exp"};
}

// A statistic of all elements along some axes (none given: all axes). The axes are kept with extent
// 1 or removed.
struct Reduction {
    static constexpr std::string_view type = "reduction";
    ReductionKind kind = ReductionKind::sum;
    Dims axes = {};
    bool keep_axes = true;

    bool operator==(const Reduction&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("kind", self.kind);
        visit("axes", self.axes);
        visit("keep_axes", self.keep_axes);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::string kind_name() const;
    std::optional<Draw> draw(const Signature& signature, std::size_t operand) const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata

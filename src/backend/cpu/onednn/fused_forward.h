// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/fold_loops.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/lowering.h"
#include "backend/lower/fused.h"

#include <functional>

namespace strata::cpu {

// The location of a fused sum's other operand: in the result's memory, which was its own; in other
// memory, which the primitive reads; or in the result's memory, to which the step copies it first.
enum class AddendPlace { replaced, read, copied };

// The additional operands and work of the fused step of a convolution or fully connected layer: a
// normalisation becomes part of weights and bias, the rest becomes post-operations of the
// primitive.
class FusedOperations {
public:
    // `bias` is the layer's own; empty if it has none.
    FusedOperations(Lowering& lowering, const Layer& layer, const std::vector<LayerId>& followers,
                    const Desc& bias);

    TensorId result() const { return operations_.result; }
    bool has_sum() const { return operations_.sum.has_value(); }
    bool has_relu() const { return operations_.relu; }
    // The step's bias, which a normalisation needs; empty if it has none.
    const Desc& bias() const { return bias_; }
    // The layout of the sum's other operand, if it has the type of activations.
    std::optional<Desc> layout_of_addend() const;
    // The ways to do the sum, best first; arbitrary without a sum.
    std::vector<AddendPlace> places() const;
    dnnl::primitive_attr attributes(AddendPlace place, const Desc& y) const;

    // The primitive's arguments apart from the source, and the calls that must come before it.
    // Makes the result's value.
    struct Operands {
        Arguments arguments;
        std::vector<Call> before;
    };
    Operands operands(AddendPlace place, const Desc& weights, const Desc& y);
    // Sets the weights in this layout, and the bias if there is one.
    TensorView weights(const Desc& wanted);
    std::optional<TensorView> bias_value();
    // Makes the result's value; and the sum's other operand, in the same layout, if there is one.
    struct Result {
        TensorView y;
        std::optional<TensorView> addend;
    };
    Result place_result(AddendPlace place, const Desc& y);

private:
    TensorView folded_weights(const Desc& wanted);
    TensorView folded_bias();
    TensorView statistic(std::size_t operand);
    FoldedNormalization folded() const;

    Lowering& lowering_;
    const Layer& layer_;
    FollowingOperations operations_;
    Desc bias_;
};

// A forward primitive with these attributes, this bias and this layout of the result.
template <class Primitive>
using DescribeForward = std::function<typename Primitive::primitive_desc(
    const dnnl::primitive_attr& attributes, const Desc& bias, const Desc& y)>;

// A layer's forward pass as one primitive with followers. Only the library's implementation for the
// layer alone is accepted: a slower one would cost more than fusion gains.
template <class Primitive>
class FusedForward {
public:
    using Described = typename Primitive::primitive_desc;

    FusedForward(Lowering& lowering, const Layer& layer, const std::vector<LayerId>& followers,
                 const Desc& bias, const DescribeForward<Primitive>& describe)
        : lowering_(lowering),
          layer_(layer),
          followers_(followers),
          describe_(describe),
          operations_(lowering, layer, followers, bias) {}

    // `text` describes the computation of the layer alone. Throws Refusal before anything is added.
    void lower(const std::string& apart, StepText text) {
        const auto alone = described_if_possible([&] { return describe_alone(); });
        if (!alone) {
            throw Refusal{"oneDNN has no primitive with a bias for it"};
        }
        text.algorithm = with_reason(std::move(text.algorithm), apart);
        for (const AddendPlace place : operations_.places()) {
            const auto described = described_if_possible([&] {
                return describe_(operations_.attributes(place, alone->dst_desc()),
                                 operations_.bias(), alone->dst_desc());
            });
            if (described && is_same(*described, *alone)) {
                return add(place, *described, std::move(text));
            }
        }
        throw Refusal{std::string(alone->impl_info_str()) +
                      " of oneDNN supports no post-operations"};
    }

private:
    static bool is_same(const Described& one, const Described& other) {
        return std::string_view(one.impl_info_str()) == other.impl_info_str();
    }

    // In the layout of the sum's other operand, if that costs nothing.
    Described describe_alone() const {
        const Desc any = any_layout(lowering_.extents(layer_.outputs[0]), lowering_.element_type());
        const auto describe = [&](const Desc& y) {
            return describe_(lowering_.attributes(), operations_.bias(), y);
        };
        const auto addend = operations_.layout_of_addend();
        return addend ? prefer_layout(any, *addend, describe,
                                      [](const Described& d) { return d.dst_desc(); })
                      : describe(any);
    }

    void add(AddendPlace place, const Described& described, StepText text) {
        const TensorView x = lowering_.value(layer_.inputs[0], described.src_desc());
        auto operands = operations_.operands(place, described.weights_desc(), described.dst_desc());
        operands.arguments.emplace_back(DNNL_ARG_SRC, x);
        text.implementation =
            described.impl_info_str() + text_of_fused(lowering_.graph(), FusedBias::no, followers_);
        text.layout = text_of(x.desc, described.dst_desc());
        std::vector<Call> calls = std::move(operands.before);
        calls.push_back(lowering_.call<Primitive>(described, std::move(operands.arguments)));
        lowering_.compute(std::move(text), std::move(calls), scratchpad_of(described));
        for (const LayerId follower : followers_) {
            lowering_.include(follower);
        }
    }

    Lowering& lowering_;
    const Layer& layer_;
    const std::vector<LayerId>& followers_;
    const DescribeForward<Primitive>& describe_;
    FusedOperations operations_;
};

// Lowers a layer's forward pass together with the layers that may be fused with it; see
// backend/lower/fused.h for the result. `bias` is empty if the layer has none; `text` describes the
// computation of the layer alone.
template <class Primitive>
FusedResult lower_fused_forward(Lowering& lowering, const Layer& layer, const Desc& bias,
                                const StepText& text, const DescribeForward<Primitive>& describe) {
    return lower_longest_chain(
        lowering.followers(), ChainEnd::one_follower,
        [&](const std::vector<LayerId>& followers, const std::string& apart) {
            FusedForward<Primitive>(lowering, layer, followers, bias, describe).lower(apart, text);
        });
}

}  // namespace strata::cpu

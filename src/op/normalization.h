// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The elements that share one mean and one variance.
enum class NormalizationScope { spatial, per_activation };

inline constexpr std::array<std::string_view, 2> names_of(NormalizationScope) {
    return {"spatial", "per_activation"};
}

// Normalisation by the statistics of the batch (Ioffe and Szegedy 2015): x[N,C,...], scale[C],
// shift[C], mean[C], variance[C] -> y. Training uses the batch's own statistics and updates the
// running ones; inference uses the running ones. `per_activation` has one statistic per element of
// an image.
struct BatchNormalization {
    static constexpr std::string_view type = "batch_normalization";
    double epsilon = 1e-5;
    double momentum = 0.9;
    NormalizationScope scope = NormalizationScope::spatial;

    bool operator==(const BatchNormalization&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("epsilon", self.epsilon);
        visit("momentum", self.momentum);
        visit("scope", self.scope);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
    SumShape statistic_sum(const OperandValues& values, std::size_t operand) const;
};

// How a row is normalised: by mean and deviation, or by its root mean square.
enum class NormalizationKind { standard, root_mean_square };

inline constexpr std::array<std::string_view, 2> names_of(NormalizationKind) {
    return {"standard", "root_mean_square"};
}

// Normalisation of each position by the statistics of its own axes from `axis` on (Ba et al.
// 2016): (x - mean) / sqrt(variance + epsilon) * scale + shift; root_mean_square leaves the
// mean where it is and divides by sqrt(mean of squares + epsilon) (Zhang and Sennrich 2019).
// scale and shift have the extents of the normalised axes.
struct LayerNormalization {
    static constexpr std::string_view type = "layer_normalization";
    std::int64_t axis = -1;
    double epsilon = 1e-5;
    NormalizationKind kind = NormalizationKind::standard;
    bool scale = true;
    bool shift = true;

    bool operator==(const LayerNormalization&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("axis", self.axis);
        visit("epsilon", self.epsilon);
        visit("kind", self.kind);
        visit("scale", self.scale);
        visit("shift", self.shift);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::string kind_name() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

// Normalisation of each image by the statistics of groups of its channels (Wu and He 2018):
// x[N,C,...], scale[C], shift[C]. As many groups as channels (groups = 0) is instance
// normalisation (Ulyanov et al. 2016).
struct GroupNormalization {
    static constexpr std::string_view type = "group_normalization";
    std::int64_t groups = 0;
    double epsilon = 1e-5;
    bool affine = true;

    bool operator==(const GroupNormalization&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("groups", self.groups);
        visit("epsilon", self.epsilon);
        visit("affine", self.affine);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata

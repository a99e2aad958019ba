// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>
#include <cmath>

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

// Which elements share a mean and a variance in a normalisation, and the two of some values.

// Layer and group normalisation alike: a tensor as rows of consecutive elements, each normalised by
// its own mean and variance. Row r belongs to group r % groups, whose elements share scale and
// shift by `inner` at a time.
struct RowNormalization {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t groups = 1;
    std::int64_t inner = 1;
    double epsilon = 0;
    bool centred = true;    // whether the mean is taken off
    std::size_t scale = 0;  // operand; 0: none
    std::size_t shift = 0;

    std::size_t parameter_of(std::int64_t row, std::int64_t i) const {
        return static_cast<std::size_t>((row % groups) * (width / inner) + i / inner);
    }
    std::span<const float> row_of(std::span<const float> values, std::int64_t row) const {
        return values.subspan(static_cast<std::size_t>(row * width),
                              static_cast<std::size_t>(width));
    }
};

RowNormalization rows_of(const LayerNormalization& op, const Signature& signature);
RowNormalization rows_of(const GroupNormalization& op, const Signature& signature);

// Of batch normalisation: of statistic g, the elements (n * statistics + g) * inner + i for every
// image n and i < inner.
struct StatisticGroups {
    std::int64_t images = 0;
    std::int64_t statistics = 0;
    std::int64_t inner = 0;

    double count() const { return static_cast<double>(images * inner); }

    // Calls use(index) for every element of one statistic.
    template <class Use>
    void for_each_element(std::int64_t g, Use&& use) const {
        for (std::int64_t n = 0; n < images; ++n) {
            const std::int64_t start = (n * statistics + g) * inner;
            for (std::int64_t i = start; i < start + inner; ++i) {
                use(static_cast<std::size_t>(i));
            }
        }
    }
};

// Requires: of a batch normalisation.
StatisticGroups groups_of(const Signature& signature);

struct Moments {
    double mean = 0;      // 0 where the mean stays
    double variance = 0;  // biased: divided by the count

    double inverse_deviation(double epsilon) const { return 1 / std::sqrt(variance + epsilon); }
};

Moments moments_of(const RowNormalization& rows, std::span<const float> x, std::int64_t row);
Moments moments_of(const StatisticGroups& groups, std::span<const float> x, std::int64_t g);

// How strongly rounding affects the worst of a normalisation's statistics.
struct Conditioning {
    double normalized = 0;  // root mean square of x / deviation, before the mean is taken off
    double factor = 0;      // scale / deviation
    double forward = 0;     // scale times normalized

    void include(const Moments& moments, double scale, double epsilon);
};

// Of layer and group normalisation (operator.h).
SumShape forward_sum(const RowNormalization& rows, const OperandValues& values);
SumShape gradient_sum(const RowNormalization& rows, const OperandValues& values,
                      std::size_t operand);

}  // namespace strata

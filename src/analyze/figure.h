// SPDX-License-Identifier: MIT
#pragma once

#include "published/figure.h"
#include "record/algorithm.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Whether ours stand in the published order.
enum class OrderAgreement {
    same,     // every pair that the figure tells apart
    differs,  // not all of them
    unknown,  // not all of ours were measured, or the figure tells none apart
};
inline constexpr std::array<std::string_view, 3> names_of(OrderAgreement) {
    return {"same", "differs", "unknown"};
}

// A bar and ours: seconds, of which the convolutions alone were measured, or bytes.
struct ComparedBar {
    FigureBar bar = {};
    std::optional<double> ours = {};
    double published_rank = 0;  // from 1, the smallest; equal ones share the mean of theirs
    std::optional<double> our_rank = {};  // where all bars of the panel have a value of ours
};

// Two bars of which ours stand the other way round, or are equal.
struct ReversedPair {
    std::string less = {};  // as published
    std::string more = {};
    bool is_equal = false;
};

// A panel and how the order of its bars agrees with ours. A pair counts where the published values
// lie further apart than the figure can be read twice.
struct ComparedPanel {
    FigurePanel panel = {};
    std::vector<ComparedBar> bars = {};
    std::optional<double> rank_correlation = {};  // Spearman's
    std::size_t pairs = 0;
    std::vector<ReversedPair> reversed = {};
    OrderAgreement agreement = OrderAgreement::unknown;
};

// Each panel with the comparison of its batch; those of other batches have no values of ours. What
// an algorithm cannot do runs by a matrix product (gemm or implicit-gemm), as in Kim et al.'s
// libraries.
std::vector<ComparedPanel> compare_figure(const MeasuredFigure& figure,
                                          std::span<const AlgorithmComparison> batches);

// Spearman's rank correlation: of the ranks, of which equal values share the mean. Nothing where
// either has no two different values. Requires: as many of both.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace strata

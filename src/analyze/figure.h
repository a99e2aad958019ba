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

// Whether our values are in the published order.
enum class OrderAgreement {
    same,     // every pair that the figure distinguishes
    differs,  // not all of them
    unknown,  // some of ours not measured, or the figure distinguishes none
};
inline constexpr std::array<std::string_view, 3> names_of(OrderAgreement) {
    return {"same", "differs", "unknown"};
}

// A bar and our value: seconds, of only the convolutions, or bytes.
struct ComparedBar {
    FigureBar bar = {};
    std::optional<double> ours = {};
    double published_rank = 0;            // from 1, the smallest; ties share the mean rank
    std::optional<double> our_rank = {};  // if all bars of the panel have a value of ours
};

// Two bars whose values of ours are in the opposite order, or equal.
struct ReversedPair {
    std::string less = {};  // as published
    std::string more = {};
    bool is_equal = false;
};

// A panel and how the order of its bars agrees with ours. A pair counts if the published values
// differ by more than twice the reading precision.
struct ComparedPanel {
    FigurePanel panel = {};
    std::vector<ComparedBar> bars = {};
    std::optional<double> rank_correlation = {};  // Spearman's
    std::size_t pairs = 0;
    std::vector<ReversedPair> reversed = {};
    OrderAgreement agreement = OrderAgreement::unknown;
};

// Each panel with the comparison of its batch; panels of other batches have no values of ours. A
// layer that an algorithm cannot compute runs as a matrix product (gemm or implicit-gemm), as in
// the libraries of Kim et al.
std::vector<ComparedPanel> compare_figure(const MeasuredFigure& figure,
                                          std::span<const AlgorithmComparison> batches);

// Spearman's rank correlation; ties share the mean rank. Nothing if all values of either are equal.
// Requires: equally many of both.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace strata

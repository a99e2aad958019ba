// SPDX-License-Identifier: MIT
#include "analyze/figure.h"

#include "base/text.h"
#include "measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

std::optional<double> seconds_of(const AlgorithmResult& result) {
    const auto* samples = std::get_if<Samples>(&result.time);
    return samples == nullptr || samples->values.empty()
               ? std::nullopt
               : std::optional(median_of(samples->values).value);
}

// "gemm" is explicit or implicit, "winograd" any tile, "fft" whole planes or tiles.
bool is_of(const AlgorithmResult& result, std::string_view family) {
    if (family == "heuristic") {
        return result.is_heuristic;
    }
    return family == "fastest" || result.algorithm.starts_with(family) ||
           (family == "gemm" && result.algorithm == "implicit-gemm");
}

// A layer's pass with its possible algorithms.
using Ways = std::vector<const AlgorithmResult*>;

const AlgorithmResult* fastest_of(const Ways& ways, std::string_view family) {
    const AlgorithmResult* best = nullptr;
    for (const AlgorithmResult* way : ways) {
        const auto time = seconds_of(*way);
        if (time && is_of(*way, family) && (best == nullptr || *time < *seconds_of(*best))) {
            best = way;
        }
    }
    return best;
}

bool is_counted(const AlgorithmResult& result, const FigurePanel& panel, const FigureBar& bar,
                const std::string& first_layer) {
    const bool is_forward = result.pass == Pass::forward;
    const bool of_passes = panel.passes == "training" || (panel.passes == "forward") == is_forward;
    const bool is_left_out = !bar.first_layer_gradient && result.layer == first_layer &&
                             result.pass == Pass::backward_data;
    return of_passes && !is_left_out && matches_glob(panel.layers, result.layer);
}

std::vector<Ways> passes_of(const AlgorithmComparison& comparison, const FigurePanel& panel,
                            const FigureBar& bar) {
    std::vector<Ways> passes;
    for (const AlgorithmResult& result : comparison.results) {
        if (!is_counted(result, panel, bar, comparison.results.front().layer)) {
            continue;
        }
        const auto known = std::ranges::find_if(passes, [&](const Ways& ways) {
            return ways.front()->layer == result.layer && ways.front()->pass == result.pass;
        });
        (known == passes.end() ? passes.emplace_back() : *known).push_back(&result);
    }
    return passes;
}

std::optional<double> ours_for(const AlgorithmComparison& comparison, const FigurePanel& panel,
                               const FigureBar& bar) {
    const std::vector<Ways> passes = passes_of(comparison, panel, bar);
    double seconds = 0, workspace = 0;
    for (const Ways& ways : passes) {
        const AlgorithmResult* own = fastest_of(ways, bar.algorithm);
        const AlgorithmResult* run = own != nullptr ? own : fastest_of(ways, "gemm");
        if (run == nullptr) {
            return std::nullopt;
        }
        seconds += *seconds_of(*run) * run->layers;
        workspace = std::max(workspace, run->workspace.value_or(Bytes{}).value);
    }
    if (passes.empty()) {
        return std::nullopt;
    }
    return panel.quantity == FigureQuantity::time ? seconds : comparison.memory.value + workspace;
}

// From 1, in ascending order; equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
    std::vector<double> ranks;
    for (const double value : values) {
        const auto less =
            std::ranges::count_if(values, [=](double other) { return other < value; });
        const auto equal = std::ranges::count(values, value);
        ranks.push_back(static_cast<double>(less) + (static_cast<double>(equal) + 1) / 2);
    }
    return ranks;
}

void count_pairs(ComparedPanel& compared) {
    for (const ComparedBar& less : compared.bars) {
        for (const ComparedBar& more : compared.bars) {
            if (more.bar.published - less.bar.published > 2 * compared.panel.tolerance) {
                ++compared.pairs;
                if (*less.ours >= *more.ours) {
                    compared.reversed.push_back(
                        {less.bar.name, more.bar.name, *less.ours == *more.ours});
                }
            }
        }
    }
    compared.agreement = compared.pairs == 0         ? OrderAgreement::unknown
                         : compared.reversed.empty() ? OrderAgreement::same
                                                     : OrderAgreement::differs;
}

void rank(ComparedPanel& compared) {
    std::vector<double> published, ours;
    for (const ComparedBar& bar : compared.bars) {
        published.push_back(bar.bar.published);
        if (bar.ours) {
            ours.push_back(*bar.ours);
        }
    }
    const std::vector<double> published_ranks = ranks_of(published);
    const std::vector<double> our_ranks = ranks_of(ours);
    const bool is_complete = ours.size() == published.size();
    for (std::size_t i = 0; i < compared.bars.size(); ++i) {
        compared.bars[i].published_rank = published_ranks[i];
        compared.bars[i].our_rank = is_complete ? std::optional(our_ranks[i]) : std::nullopt;
    }
    if (is_complete) {
        compared.rank_correlation = rank_correlation(published, ours);
        count_pairs(compared);
    }
}

}  // namespace

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
    const std::vector<double> of_a = ranks_of(a), of_b = ranks_of(b);
    const double mean = (static_cast<double>(a.size()) + 1) / 2;
    double both = 0, squares_a = 0, squares_b = 0;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        both += (of_a[i] - mean) * (of_b[i] - mean);
        squares_a += (of_a[i] - mean) * (of_a[i] - mean);
        squares_b += (of_b[i] - mean) * (of_b[i] - mean);
    }
    return squares_a > 0 && squares_b > 0 ? std::optional(both / std::sqrt(squares_a * squares_b))
                                          : std::nullopt;
}

std::vector<ComparedPanel> compare_figure(const MeasuredFigure& figure,
                                          std::span<const AlgorithmComparison> batches) {
    std::vector<ComparedPanel> panels;
    for (const FigurePanel& panel : figure.panels) {
        const auto batch = std::ranges::find(batches, panel.batch, &AlgorithmComparison::batch);
        ComparedPanel& compared = panels.emplace_back(ComparedPanel{.panel = panel});
        for (const FigureBar& bar : panel.bars) {
            compared.bars.push_back(
                {.bar = bar,
                 .ours = batch == batches.end() ? std::nullopt : ours_for(*batch, panel, bar)});
        }
        rank(compared);
    }
    return panels;
}

}  // namespace strata

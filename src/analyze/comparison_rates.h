// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/compare.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The verdicts on sides that are equal but for a slow-down of known size of the second.
struct PlantedRate {
    double planted = 0;  // 0.05: all times of the second side are 5 % longer
    std::int64_t faster = 0;
    std::int64_t slower = 0;
    std::int64_t same = 0;
    std::int64_t unclear = 0;
    std::int64_t layers = 0;  // rows of all comparisons
    std::int64_t layers_faster = 0;
    std::int64_t layers_slower = 0;
};

// How far verdicts can be believed on a machine: comparisons of one job with itself, each with
// processes of its own. Stored beside the machine's ceilings.
struct ComparisonRates {
    std::string created = {};  // UTC
    std::string network = {};
    std::string backend = {};
    std::int64_t batch = 1;
    std::int64_t threads = 1;
    std::int64_t fewest_rounds = 1;  // processes of each side: where the whole was known soon,
    std::int64_t most_rounds = 1;    // and where it was not
    std::int64_t comparisons = 0;
    double margin = 0;
    double smallest_visible = 0;  // difference of the whole, in half of the comparisons
    // How far apart single processes of the job are, and on which machine. Absent in files of
    // before.
    std::optional<double> process_spread = {};
    std::string machine = {};
    std::vector<PlantedRate> planted = {};
};

// Judges consecutive groups of runs of both sides, as many in each group as `rounds` says. A
// slow-down is planted into the samples: the same runs are judged for each. Requires: as many runs
// on both sides as the groups have, at least one, none incomplete.
ComparisonRates comparison_rates(std::span<const Run> before, std::span<const Run> after,
                                 std::span<const std::size_t> rounds,
                                 std::span<const double> planted,
                                 const ComparisonRules& rules = {});

// How far apart equal processes are, as a standard deviation of the time's logarithm: that of the
// normal distribution of which as many pairs differ so much as the widest hundredth of these pairs,
// and at least their own. All pairs count, so that a machine that changes meanwhile shows it.
// Requires: two processes with samples.
double process_spread(std::span<const Run> runs);

// Whether the run was measured on the machine, and the device, that the rates are of.
bool holds_for(const ComparisonRates& rates, const Run& run);

// What a comparison of few processes takes from the rates; the prior where they do not say.
AssumedSpread spread_of(const ComparisonRates& rates);

// A share of n cases with its 95 % interval (Wilson 1927).
struct Share {
    double value = 0;
    double low = 0;
    double high = 0;
};
Share share_of(std::int64_t count, std::int64_t all);

// "Of 20 comparisons of equal sides, 0 were called different; a slow-down of 5 % was found in 20 of
// 20 (fc:layers=2, 7 to 30 processes a side, 2026-11-23)."
std::string sentence_on(const ComparisonRates& rates);
// "7 to 30 processes a side", "5 processes a side".
std::string processes_text(const ComparisonRates& rates);

// TOML text and back. `origin` is named in errors. parse throws Error naming the key.
ComparisonRates parse_comparison_rates(std::string_view toml, std::string_view origin);
std::string to_toml(const ComparisonRates& rates);

// The file with this machine's rates: HOST-comparison.toml beside its ceilings. Throws Error if no
// home is known.
std::filesystem::path comparison_rates_file();

// What it holds; nothing if there is none, or if it cannot be read.
std::optional<ComparisonRates> own_comparison_rates();

}  // namespace strata

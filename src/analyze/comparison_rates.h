// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/compare.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The verdicts on sides that are equal except for a known slow-down of the second.
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

// The reliability of verdicts on a machine: comparisons of one job with itself, each with separate
// processes. Stored next to the machine's ceilings.
struct ComparisonRates {
    std::string created = {};  // UTC
    std::string network = {};
    std::string backend = {};
    std::int64_t batch = 1;
    std::int64_t threads = 1;
    std::int64_t fewest_rounds = 1;  // processes of each side: if the whole was known early,
    std::int64_t most_rounds = 1;    // and if it was not
    std::int64_t comparisons = 0;
    double margin = 0;
    double smallest_visible = 0;  // difference of the whole, in half of the comparisons
    // The spread of single processes of the job, and the machine. Absent in older
    // files.
    std::optional<double> process_spread = {};
    std::string machine = {};
    std::vector<PlantedRate> planted = {};
};

// Judges consecutive groups of runs of both sides, sized by `rounds`. Slow-downs are applied to the
// samples: the same runs are judged for each. Requires: as many runs on both sides as the groups
// have, at least one, none incomplete.
ComparisonRates comparison_rates(std::span<const Run> before, std::span<const Run> after,
                                 std::span<const std::size_t> rounds,
                                 std::span<const double> planted,
                                 const ComparisonRules& rules = {});

// The spread of equal processes, as a standard deviation of the time's logarithm: that of the
// normal distribution whose pairs differ as much as the widest hundredth of these pairs, and at
// least their own. All pairs count, so that changes of the machine over time show. Requires: two
// processes with samples.
double process_spread(std::span<const Run> runs);

// Whether the run was measured on the machine and device of the rates.
bool holds_for(const ComparisonRates& rates, const Run& run);

// The assumptions for a comparison of few processes, from the rates; the prior if they lack them.
AssumedSpread spread_of(const ComparisonRates& rates);

// A proportion of n cases with its 95 % interval (Wilson 1927).
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

// Converts to and from TOML. Errors name `origin`. parse throws Error naming the key.
ComparisonRates parse_comparison_rates(std::string_view toml, std::string_view origin);
std::string to_toml(const ComparisonRates& rates);

// The file with this machine's rates: HOST-comparison.toml next to its ceilings. Throws Error if no
// home is known.
std::filesystem::path comparison_rates_file();

// The content of that file; nothing if it is missing or cannot be read.
std::optional<ComparisonRates> own_comparison_rates();

}  // namespace strata

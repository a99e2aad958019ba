// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A setting in which two runs differ; "default" if a run does not set it.
struct SettingDifference {
    std::string name;
    std::string before;
    std::string after;
    bool is_tuned_before = false;  // a stored tuning made these choices
    bool is_tuned_after = false;

    bool operator==(const SettingDifference&) const = default;
};

// Sorted by name. The measuring time does not count as a setting.
std::vector<SettingDifference> differences_between(const Settings& before, const Settings& after);

// Whether a stored tuning made some of its choices.
bool is_tuned(const Settings& settings);

// Short names that distinguish several sides: "onednn" and "pytorch", "fuse off" and "fuse on",
// "direct" and "tuned". Empty names if nothing distinguishes them, or more than three settings do.
std::vector<std::string> names_of_sides(std::span<const Settings> sides);

// The assumed spread of a job's processes, and of its single samples, if a side has too few to show
// it: standard deviations of a time's logarithm. The defaults are priors, not measurements:
// machines with a larger spread need several processes per side. strata calibrate --comparison
// measures the first for a machine (analyze/comparison_rates.h).
struct AssumedSpread {
    double processes = 0.05;   // if a side has fewer than three
    double samples = 0.1;      // if one of these has fewer than six samples
    std::string created = {};  // when `processes` was measured, UTC; empty: it is the prior

    bool is_prior() const { return created.empty(); }
};

// How differences are judged.
struct ComparisonRules {
    double margin = 0.02;             // differences up to this share do not matter
    double false_discoveries = 0.05;  // false share of the layers called faster or slower
    double false_verdicts = 0.01;     // how often equal wholes may be called different
    AssumedSpread spread = {};
};

// The number of processes of each side in a comparison.
struct RoundLimits {
    int fewest = 7;
    int most = 30;
};
// "7 to 30", or "7" if both are equal.
std::string rounds_text(const RoundLimits& limits);

// `same`: the interval of the ratio lies within the margin, an equivalence test, so that too few
// samples do not make two runs equal. `faster`, `slower`: the interval excludes 1, and the ratio is
// beyond the margin. `unclear`: neither can be concluded.
enum class Verdict { faster, slower, same, unclear };
inline constexpr std::array<std::string_view, 4> names_of(Verdict) {
    return {"faster", "slower", "same", "unclear"};
}

// The single rule of all verdicts: only the interval decides.
Verdict verdict_of(const Ratio& ratio, double margin);

// The same work on both sides.
struct ComparedTime {
    std::vector<std::string> layers = {};  // several if a side runs them as one operation
    std::string pass = {};                 // empty: the whole iteration
    std::string operation = {};            // of the first layer
    std::optional<Estimate> before = {};   // nothing if it was not measured
    std::optional<Estimate> after = {};
    std::optional<Ratio> ratio = {};      // after over before, with the interval of the verdict
    std::optional<Verdict> verdict = {};  // nothing without a ratio
};

// The parts of one side's iteration: compared rows, rows that the other side lacks, and the
// uninstrumented time outside the steps. They add up to the end to end time.
struct ComparedParts {
    Seconds matched;
    Seconds unmatched;
    std::optional<Seconds> outside;  // nothing without an end to end time
};

// Two sides of a comparison: runs of one network with the same settings, or one run. A row is a
// layer's pass with its reorders and accumulations; layers that any run does in one operation share
// a row (n to m). False discoveries are controlled over the rows, but not for the whole iteration,
// which is one question: its interval, and that of the sum, is at 99 %. A row's is at 95 % or, if
// it is not a discovery, the wider one for judging this many rows together (Benjamini and Yekutieli
// 2005).
struct Comparison {
    ComparisonRules rules;
    std::vector<SettingDifference> differences;  // between the first runs
    std::vector<ComparedTime> rows;              // layer by layer
    ComparedTime whole;                          // end to end, without time stamps
    ComparedTime sum;                            // of the rows that both sides have
    ComparedParts before;
    ComparedParts after;
    // Whether a side has too few processes to show their spread, or a process too few samples, so
    // that all intervals rest on the rules' assumptions.
    bool assumes_processes = true;
    bool assumes_samples = true;
    // Whether the sides' processes alternated, by their start times. Then ratios are taken between
    // neighbours, so that a drifting machine does not blur them.
    bool in_turn = false;
    // How much the machine's own speed differed for the second side, by the calibration loop: 0.03
    // is 3 %. If a side has too few processes, all intervals are widened by that much. Nothing if
    // the loop was not timed on both sides, or a GPU computed.
    std::optional<double> machine_change = {};
    // Why the sides are not compared: a run is incomplete (record/completeness.h), so there are no
    // rows and no ratio. Empty if they are compared.
    std::string refusal = {};
};

// Requires: neither side is empty.
Comparison compare(std::span<const Run> before, std::span<const Run> after,
                   const ComparisonRules& rules = {});
Comparison compare(const Run& before, const Run& after, const ComparisonRules& rules = {});

// Compares only the whole iteration. Requires: as for `compare`; no run is incomplete.
ComparedTime compare_whole(std::span<const Run> before, std::span<const Run> after,
                           const ComparisonRules& rules = {});

// The smallest relative difference of the whole that its samples could show: half the width of its
// interval. Nothing without a ratio.
std::optional<double> smallest_visible(const ComparedTime& whole);

// Whether no more rounds are needed: the limit is reached, or the whole is known within the margin,
// or it has no ratio. (Stopping by the width of an interval, not by its content, hardly changes the
// chance of a wrong verdict: Chow and Robbins 1965.)
bool ends_comparison(std::span<const Run> before, std::span<const Run> after,
                     const RoundLimits& limits, const ComparisonRules& rules = {});

}  // namespace strata

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

// A setting in which two runs differ; "default" where a run does not set it.
struct SettingDifference {
    std::string name;
    std::string before;
    std::string after;

    bool operator==(const SettingDifference&) const = default;
};

// Sorted by name. The measuring time does not count as a setting.
std::vector<SettingDifference> differences_between(const Settings& before, const Settings& after);

// Whether a stored tuning made some of its choices.
bool is_tuned(const Settings& settings);

// What tells several sides apart, as short names: "onednn" and "pytorch", "fuse off" and "fuse on",
// "direct" and "tuned". Empty names if nothing does, or more than three settings do.
std::vector<std::string> names_of_sides(std::span<const Settings> sides);

// How far apart a job's processes, and its single samples, are taken to be where a side has too few
// to show it: standard deviations of a time's logarithm. The defaults are priors, no measurements:
// machines that differ more need several processes a side. strata calibrate --comparison measures
// the first for a machine (analyze/comparison_rates.h).
struct AssumedSpread {
    double processes = 0.05;   // where a side has fewer than three
    double samples = 0.1;      // where one of these has fewer than six
    std::string created = {};  // when `processes` was measured, UTC; empty: it is the prior

    bool is_prior() const { return created.empty(); }
};

// How differences are judged.
struct ComparisonRules {
    double margin = 0.02;  // differences up to this share do not matter
    double false_discoveries =
        0.05;                      // the share of layers called faster or slower that may be wrong
    double false_verdicts = 0.01;  // how often equal wholes may be called faster or slower
    AssumedSpread spread = {};
};

// How many processes a comparison takes of each side.
struct RoundLimits {
    int fewest = 7;
    int most = 30;
};
// "7 to 30", or "7" where both are equal.
std::string rounds_text(const RoundLimits& limits);

// `same`: the interval of the ratio lies within the margin, which is an equivalence test, so that
// too few samples do not make two runs equal. `faster`, `slower`: the interval excludes 1, and the
// ratio is beyond the margin. `unclear`: neither can be said.
enum class Verdict { faster, slower, same, unclear };
inline constexpr std::array<std::string_view, 4> names_of(Verdict) {
    return {"faster", "slower", "same", "unclear"};
}

// The one rule of all verdicts: what the interval says, and nothing else.
Verdict verdict_of(const Ratio& ratio, double margin);

// The same work, on both sides.
struct ComparedTime {
    std::vector<std::string> layers = {};  // several where a side runs them as one operation
    std::string pass = {};                 // empty: the whole iteration
    std::string operation = {};            // of the first layer
    std::optional<Estimate> before = {};   // nothing where it was not measured
    std::optional<Estimate> after = {};
    std::optional<Ratio> ratio = {};      // after over before, with the interval that is judged
    std::optional<Verdict> verdict = {};  // nothing without a ratio
};

// What one side's iteration consists of: compared rows, rows that the other side lacks, and the
// time outside the steps, from which instruments were absent. They add up to the end to end time.
struct ComparedParts {
    Seconds matched;
    Seconds unmatched;
    std::optional<Seconds> outside;  // nothing without an end to end time
};

// Two sides of a comparison: runs of one network with the same settings, or one run. A row is a
// layer's pass with its reorders and accumulations; layers that any run does in one operation share
// a row (n to m). False discoveries are controlled over the rows, not over the whole iteration,
// which is one question: its interval, and that of the sum, is the one of 99 %. A row's is that of
// 95 %, or where it cannot be told the wider one by which so many rows are judged together, after
// Benjamini and Yekutieli (2005).
struct Comparison {
    ComparisonRules rules;
    std::vector<SettingDifference> differences;  // between the first runs
    std::vector<ComparedTime> rows;              // layer by layer
    ComparedTime whole;                          // end to end, without time stamps
    ComparedTime sum;                            // of the rows that both sides have
    ComparedParts before;
    ComparedParts after;
    // Whether a side has too few processes to show how these differ, or one of them too few
    // samples, so that all intervals rest on what the rules assume of that.
    bool assumes_processes = true;
    bool assumes_samples = true;
    // Whether the sides' processes took turns, by the times at which they began. Then ratios are
    // those of neighbours, so that a machine that drifts does not blur them.
    bool in_turn = false;
    // How much faster or slower the machine itself ran beside the second side, by the loop of fixed
    // work: 0.03 is 3 %. Where a side has too few processes, all intervals are widened by that
    // much. Nothing where the loop was not timed on both sides.
    std::optional<double> machine_change = {};
    // Why the sides are not compared: a run is incomplete (record/completeness.h), and there are
    // no rows and no ratio. Empty where they are compared.
    std::string refusal = {};
};

// Requires: neither side is empty.
Comparison compare(std::span<const Run> before, std::span<const Run> after,
                   const ComparisonRules& rules = {});
Comparison compare(const Run& before, const Run& after, const ComparisonRules& rules = {});

// The whole iteration of both sides alone. Requires: as `compare`; no run is incomplete.
ComparedTime compare_whole(std::span<const Run> before, std::span<const Run> after,
                           const ComparisonRules& rules = {});

// The smallest difference of the whole, as a share, that its samples could show: half the width of
// its interval. Nothing without a ratio.
std::optional<double> smallest_visible(const ComparedTime& whole);

// Whether no more rounds are needed: there are as many as the limits allow, or the whole is known
// within the margin, or has no ratio. (Ending by the width of an interval, not by what lies in it,
// leaves the chance of a wrong verdict nearly as it is: Chow and Robbins 1965.)
bool ends_comparison(std::span<const Run> before, std::span<const Run> after,
                     const RoundLimits& limits, const ComparisonRules& rules = {});

}  // namespace strata

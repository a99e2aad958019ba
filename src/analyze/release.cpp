// SPDX-License-Identifier: MIT
#include "analyze/release.h"

#include "analyze/speedup.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata {

namespace {

std::vector<const Observation*> timed_runs(const Observations& all) {
    std::vector<const Observation*> runs;
    for (const Observation& run : all.runs) {
        if (run.time) {
            runs.push_back(&run);
        }
    }
    return runs;
}

// Throws Error if its file was not given.
template <class Value>
const Value& released_as(const std::string& name, const std::map<std::string, Value>& released) {
    const auto found = released.find(name);
    if (found == released.end()) {
        throw Error(fmt::format("this is computed from the authors' released files, but the one "
                                "for '{}' is missing: name it with --from",
                                printable(name)),
                    ExitCode::usage);
    }
    return found->second;
}

RegressionData data_for(const FromRelease& asked,
                        const std::map<std::string, Observations>& released) {
    const Observations& first = released_as(asked.data, released);
    const auto runs = timed_runs(first);
    if (!asked.over.empty()) {
        const auto baseline = timed_runs(released_as(asked.over, released));
        const auto pairs = pairs_of(runs, baseline);
        std::vector<const Observation*> paired;
        for (const SpeedupPair& pair : pairs) {
            paired.push_back(pair.run);
        }
        return regression_data(pairs, varied_parameters(paired));
    }
    const auto metric = value_named<ObservedMetric>(asked.metric);
    if (!metric) {
        throw Error(fmt::format("'{}' is not a metric of runs", printable(asked.metric)),
                    ExitCode::usage);
    }
    return regression_data(first, runs, *metric, varied_parameters(runs));
}

double of_regression(const std::string& quantity, const RegressionData& data) {
    const Regression found = regress(data, {});
    if (quantity == "r squared") {
        return found.r_squared;
    }
    const std::string name = quantity.substr(std::string_view("weight of ").size());
    const auto term = std::ranges::find(found.terms, name, &RegressionTerm::name);
    if (term == found.terms.end()) {
        throw Error(fmt::format("{} does not vary in the released results", printable(name)),
                    ExitCode::usage);
    }
    return term->weight;
}

const std::vector<double>& column_of(const ReleasedTable& table, std::string_view name) {
    const auto found = table.columns.find(std::string(name));
    if (found == table.columns.end()) {
        throw Error(fmt::format("the released file has no column '{}'", printable(name)),
                    ExitCode::usage);
    }
    return found->second;
}

// Evaluates "a * b / c" for each row.
std::vector<double> computed_column(const ReleasedTable& table, const std::string& text) {
    const auto words = split(text, ' ');
    std::vector<double> values = column_of(table, words.front());
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        const auto& other = column_of(table, words[i + 1]);
        if (words[i] != "*" && words[i] != "/") {
            throw Error(fmt::format("'{}' is not an operator between columns of '{}': write * or /",
                                    printable(words[i]), printable(text)),
                        ExitCode::usage);
        }
        for (std::size_t row = 0; row < values.size(); ++row) {
            values[row] = words[i] == "*" ? values[row] * other[row] : values[row] / other[row];
        }
    }
    return values;
}

std::vector<double> values_of_rows(const FromRelease& asked, const ReleasedTables& tables) {
    const ReleasedTable& table = released_as(asked.data, tables);
    const std::vector<double> all = computed_column(table, asked.column);
    const bool is_other = asked.kind.starts_with('!');
    const std::string kind = asked.kind.substr(is_other ? 1 : 0);
    std::vector<double> values;
    for (std::size_t row = 0; row < all.size(); ++row) {
        const bool is_asked = kind.empty() || (table.kinds[row] == kind) != is_other;
        if (is_asked && std::isfinite(all[row])) {
            values.push_back(all[row]);
        }
    }
    return values;
}

}  // namespace

double quantity_of(const FromRelease& asked, const Release& release) {
    if (asked.quantity == "r squared" || asked.quantity.starts_with("weight of ")) {
        return of_regression(asked.quantity, data_for(asked, release.networks));
    }
    const std::vector<double> values = asked.column.empty()
                                           ? data_for(asked, release.networks).target
                                           : values_of_rows(asked, release.tables);
    if (values.empty()) {
        throw Error(
            fmt::format("no run in the released results of '{}' gives it", printable(asked.data)),
            ExitCode::usage);
    }
    const auto count = static_cast<double>(values.size());
    const auto below = [&](double limit) {
        return static_cast<double>(
            std::ranges::count_if(values, [&](double value) { return value < limit; }));
    };
    if (asked.quantity == "largest") {
        return *std::ranges::max_element(values);
    }
    if (asked.quantity == "smallest") {
        return *std::ranges::min_element(values);
    }
    if (asked.quantity == "mean") {
        return std::accumulate(values.begin(), values.end(), 0.0) / count;
    }
    if (asked.quantity == "count") {
        return count;
    }
    if (asked.quantity == "share above 1") {
        const auto wins = std::ranges::count_if(values, [](double value) { return value > 1; });
        return static_cast<double>(wins) / count;
    }
    if (asked.below && asked.quantity == "count below") {
        return below(*asked.below);
    }
    if (asked.below && asked.quantity == "share below") {
        return below(*asked.below) / count;
    }
    throw Error(fmt::format("'{}' is not a quantity of released results: give weight of NAME, r "
                            "squared, largest, smallest, mean, count, share above 1, or with a "
                            "limit count below or share below",
                            printable(asked.quantity)),
                ExitCode::usage);
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "analyze/release.h"

#include "analyze/speedup.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
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

const Observations& released_as(const std::string& name,
                                const std::map<std::string, Observations>& released) {
    const auto found = released.find(name);
    if (found == released.end()) {
        throw Error(fmt::format("this is computed from the authors' released results, of which "
                                "those of '{}' are missing: name their file with --from",
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
        throw Error(fmt::format("'{}' is no metric of runs", printable(asked.metric)),
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

}  // namespace

double quantity_of(const FromRelease& asked, const std::map<std::string, Observations>& released) {
    const RegressionData data = data_for(asked, released);
    const std::vector<double>& values = data.target;
    if (values.empty()) {
        throw Error(fmt::format("the released results of '{}' have no run that tells it",
                                printable(asked.data)),
                    ExitCode::usage);
    }
    const auto count = static_cast<double>(values.size());
    if (asked.quantity == "r squared" || asked.quantity.starts_with("weight of ")) {
        return of_regression(asked.quantity, data);
    }
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
    throw Error(fmt::format("'{}' is no quantity of released results: give weight of NAME, r "
                            "squared, largest, smallest, mean, count or share above 1",
                            printable(asked.quantity)),
                ExitCode::usage);
}

}  // namespace strata

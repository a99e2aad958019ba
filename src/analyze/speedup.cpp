// SPDX-License-Identifier: MIT
#include "analyze/speedup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace strata {

namespace {

std::string identity_of(const Observation& run) {
    return fmt::format("{}\n{}\n{}", run.network, run.batch, run.mode);
}

double gini(std::size_t wins, std::size_t count) {
    const double share = static_cast<double>(wins) / static_cast<double>(count);
    return 2 * share * (1 - share);
}

WinnerSplit split_at(std::span<const SpeedupPair> pairs, const std::string& parameter,
                     double threshold) {
    WinnerSplit split{parameter, threshold};
    for (const SpeedupPair& pair : pairs) {
        const bool wins = pair.speedup > 1;
        if (parameter_of(*pair.run, parameter).value_or(0) >= threshold) {
            ++split.above;
            split.above_wins += wins ? 1U : 0U;
        } else {
            ++split.below;
            split.below_wins += wins ? 1U : 0U;
        }
    }
    return split;
}

}  // namespace

std::vector<SpeedupPair> pairs_of(std::span<const Observation* const> runs,
                                  std::span<const Observation* const> baseline) {
    std::unordered_map<std::string, const Observation*> by_identity;
    for (const Observation* run : baseline) {
        if (run->time) {
            by_identity[identity_of(*run)] = run;
        }
    }
    std::unordered_map<std::string, std::size_t> places;
    std::vector<SpeedupPair> pairs;
    for (const Observation* run : runs) {
        const std::string identity = run->time ? identity_of(*run) : std::string();
        const auto other = by_identity.find(identity);
        if (!run->time || other == by_identity.end()) {
            continue;
        }
        const SpeedupPair pair{run, other->second, other->second->time->median / run->time->median};
        if (const auto [at, is_new] = places.emplace(identity, pairs.size()); is_new) {
            pairs.push_back(pair);
        } else {
            pairs[at->second] = pair;
        }
    }
    return pairs;
}

SpeedupSummary summary_of(std::span<const SpeedupPair> pairs) {
    std::vector<double> all;
    double logarithms = 0;
    SpeedupSummary summary;
    for (const SpeedupPair& pair : pairs) {
        all.push_back(pair.speedup);
        logarithms += std::log(pair.speedup);
        summary.wins += pair.speedup > 1 ? 1U : 0U;
    }
    std::ranges::sort(all);
    summary.smallest = all.front();
    summary.largest = all.back();
    summary.median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
    summary.geometric_mean = std::exp(logarithms / static_cast<double>(all.size()));
    return summary;
}

double WinnerSplit::impurity() const {
    const auto all = static_cast<double>(above + below);
    return (static_cast<double>(above) * gini(above_wins, above) +
            static_cast<double>(below) * gini(below_wins, below)) /
           all;
}

std::optional<WinnerSplit> winner_split(std::span<const SpeedupPair> pairs,
                                        std::span<const std::string> parameters) {
    if (pairs.empty() || summary_of(pairs).wins % pairs.size() == 0) {
        return {};
    }
    std::optional<WinnerSplit> best;
    for (const std::string& parameter : parameters) {
        std::set<double> values;
        for (const SpeedupPair& pair : pairs) {
            values.insert(parameter_of(*pair.run, parameter).value_or(0));
        }
        for (auto value = values.begin(); value != values.end(); ++value) {
            if (value == values.begin()) {
                continue;  // no value lies below it
            }
            const WinnerSplit split = split_at(pairs, parameter, *value);
            if (!best || split.impurity() < best->impurity()) {
                best = split;
            }
        }
    }
    return best;
}

RegressionData regression_data(std::span<const SpeedupPair> pairs,
                               std::span<const std::string> parameters) {
    RegressionData data{.names = {parameters.begin(), parameters.end()}};
    data.columns.resize(parameters.size());
    for (const SpeedupPair& pair : pairs) {
        data.target.push_back(pair.speedup);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            data.columns[i].push_back(parameter_of(*pair.run, parameters[i]).value_or(0));
        }
    }
    return data;
}

RegressionData regression_data(const Observations& all, std::span<const Observation* const> runs,
                               ObservedMetric metric, std::span<const std::string> parameters) {
    RegressionData data{.names = {parameters.begin(), parameters.end()}};
    data.columns.resize(parameters.size());
    std::vector<double> values(parameters.size());
    for (const Observation* run : runs) {
        const auto target = metric_of(all, *run, metric);
        bool has_all = target.has_value();
        for (std::size_t i = 0; i < parameters.size() && has_all; ++i) {
            const auto value = parameter_of(*run, parameters[i]);
            has_all = value.has_value();
            values[i] = value.value_or(0);
        }
        if (!has_all) {
            continue;
        }
        data.target.push_back(*target);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            data.columns[i].push_back(values[i]);
        }
    }
    return data;
}

}  // namespace strata

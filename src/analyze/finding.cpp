// SPDX-License-Identifier: MIT
#include "analyze/finding.h"

#include "base/enumeration.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace strata {

namespace {

constexpr double percent_of_one = 100;

bool is_meant(const PublishedFinding& finding, const SimulatedStep& step) {
    return step.pass != Pass::update && matches_glob(finding.layers, step.layer) &&
           (finding.pass.empty() || finding.pass == name_of(step.pass));
}

// The sum of a quantity over kernels; nothing if a step was not simulated or none is selected.
template <class Quantity>
std::optional<double> sum_over(const SimulatedNetwork& network, const PublishedFinding& finding,
                               Quantity&& of) {
    double sum = 0;
    bool any = false;
    for (const SimulatedStep& step : network.steps) {
        if (is_meant(finding, step)) {
            if (!step.reason.empty()) {
                return {};
            }
            any = true;
            for (const KernelSimulation& kernel : step.kernels) {
                sum += of(kernel);
            }
        }
    }
    return any ? std::optional(sum) : std::nullopt;
}

double kernel_seconds(const KernelSimulation& kernel) {
    return kernel.time.value;
}

std::optional<double> ratio_of(std::optional<double> part, std::optional<double> whole) {
    return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

// Volta's stall reasons that correspond to an older reason.
std::vector<Stall> stalls_of(StallReason reason) {
    switch (reason) {
        case StallReason::execution_dependency:
            return {Stall::wait, Stall::short_scoreboard};
        case StallReason::pipe_busy:
            return {Stall::math_pipe_throttle, Stall::mio_throttle};
        case StallReason::memory_dependency:
            return {Stall::long_scoreboard};
        case StallReason::memory_throttle:
            return {Stall::lg_throttle};
        case StallReason::synchronization:
            return {Stall::barrier};
        case StallReason::not_selected:
            return {Stall::not_selected};
        case StallReason::compute:
            return {Stall::wait, Stall::short_scoreboard, Stall::math_pipe_throttle,
                    Stall::mio_throttle};
        case StallReason::memory:
            return {Stall::long_scoreboard, Stall::lg_throttle};
        case StallReason::instruction_fetch:
            break;
    }
    return {};
}

// The warps' time for a reason.
std::optional<double> stalled_for(const SimulatedNetwork& network, const PublishedFinding& finding,
                                  StallReason reason) {
    return sum_over(network, finding, [&](const KernelSimulation& kernel) {
        double share = 0;
        for (const Stall stall : stalls_of(reason)) {
            share += kernel.stalls[stall];
        }
        return share * kernel_seconds(kernel);
    });
}

std::optional<double> stall_share(const SimulatedNetwork& network,
                                  const PublishedFinding& finding) {
    double stalled = 0;
    for (const StallReason reason : finding.stalls) {
        stalled += stalled_for(network, finding, reason).value_or(0);
    }
    const auto all = sum_over(network, finding, [](const KernelSimulation& kernel) {
        return kernel_seconds(kernel) *
               (1 - kernel.stalls[Stall::selected] - kernel.stalls[Stall::tail]);
    });
    return ratio_of(percent_of_one * stalled, all);
}

// The largest reasons, as many as are published.
std::vector<StallReason> top_stalls(const SimulatedNetwork& network,
                                    const PublishedFinding& finding) {
    std::array reasons = {StallReason::execution_dependency, StallReason::pipe_busy,
                          StallReason::memory_dependency,    StallReason::memory_throttle,
                          StallReason::synchronization,      StallReason::not_selected};
    std::map<StallReason, double> shares;
    for (const StallReason reason : reasons) {
        const auto share = stalled_for(network, finding, reason);
        if (!share) {
            return {};
        }
        shares[reason] = *share;
    }
    std::ranges::stable_sort(reasons, std::greater(),
                             [&](StallReason reason) { return shares[reason]; });
    return {reasons.begin(), reasons.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                   reasons.size(), finding.stalls.size()))};
}

std::size_t agreeing_stalls(const PublishedFinding& finding, const std::vector<StallReason>& ours) {
    return static_cast<std::size_t>(
        std::ranges::count_if(finding.stalls, [&](StallReason published) {
            const auto wanted = stalls_of(published);
            return std::ranges::any_of(ours, [&](StallReason reason) {
                return std::ranges::find(wanted, stalls_of(reason).front()) != wanted.end();
            });
        }));
}

std::set<std::string> layers_of(const SimulatedNetwork& network) {
    std::set<std::string> names;
    for (const SimulatedStep& step : network.steps) {
        names.insert(step.layer);
    }
    return names;
}

// The largest over the selected layers.
std::optional<double> best_gain(const SimulatedNetwork& usual, const SimulatedNetwork& bypassed,
                                const PublishedFinding& finding) {
    const auto queued = [](const KernelSimulation& kernel) {
        return kernel.runs * kernel.stalls.time.value;
    };
    std::optional<double> best;
    for (const std::string& layer : layers_of(usual)) {
        if (matches_glob(finding.layers, layer)) {
            PublishedFinding one = finding;
            one.layers = layer;
            const auto ratio =
                ratio_of(sum_over(usual, one, queued), sum_over(bypassed, one, queued));
            if (ratio && (!best || percent_of_one * (*ratio - 1) > *best)) {
                best = percent_of_one * (*ratio - 1);
            }
        }
    }
    return best;
}

// 1 if a selected layer has the highest DRAM throughput of all.
std::optional<double> dram_rate_rank(const SimulatedNetwork& network,
                                     const PublishedFinding& finding) {
    std::vector<double> others;
    std::optional<double> best;
    for (const std::string& layer : layers_of(network)) {
        PublishedFinding one = finding;
        one.layers = layer;
        const auto rate =
            ratio_of(sum_over(network, one,
                              [](const KernelSimulation& kernel) {
                                  return kernel.traffic.dram_reads + kernel.traffic.dram_writes;
                              }),
                     sum_over(network, one, kernel_seconds));
        if (rate && matches_glob(finding.layers, layer)) {
            best = std::max(best.value_or(0), *rate);
        } else if (rate) {
            others.push_back(*rate);
        }
    }
    return best ? std::optional(1.0 + static_cast<double>(std::ranges::count_if(
                                          others, [&](double rate) { return rate > *best; })))
                : std::nullopt;
}

std::optional<double> value_of(const PublishedFinding& finding, const SimulationOf& simulation) {
    const SimulatedNetwork& network = simulation(finding.device, {});
    switch (finding.measure) {
        case FindingMeasure::top_stalls:
            break;
        case FindingMeasure::stall_share:
            return stall_share(network, finding);
        case FindingMeasure::bypass_gain:
            return best_gain(network, simulation(finding.device, true), finding);
        case FindingMeasure::time_share: {
            PublishedFinding all = finding;
            all.layers = "*";
            const auto share = ratio_of(sum_over(network, finding, kernel_seconds),
                                        sum_over(network, all, kernel_seconds));
            return share ? std::optional(percent_of_one * *share) : std::nullopt;
        }
        case FindingMeasure::l2_read_hit_rate: {
            const auto rate =
                ratio_of(sum_over(network, finding,
                                  [](const KernelSimulation& kernel) {
                                      return kernel.traffic.l2.sectors.read_hits;
                                  }),
                         sum_over(network, finding, [](const KernelSimulation& kernel) {
                             return kernel.traffic.l2.sectors.reads;
                         }));
            return rate ? std::optional(percent_of_one * *rate) : std::nullopt;
        }
        case FindingMeasure::dram_rate_rank:
            return dram_rate_rank(network, finding);
        case FindingMeasure::multiply_add_ratio: {
            const auto count = [](const KernelSimulation& kernel) {
                return kernel.instructions.multiply_adds;
            };
            return ratio_of(sum_over(network, finding, count),
                            sum_over(simulation(finding.over, {}), finding, count));
        }
        case FindingMeasure::speedup:
            return ratio_of(sum_over(simulation(finding.over, {}), finding, kernel_seconds),
                            sum_over(network, finding, kernel_seconds));
    }
    return {};
}

}  // namespace

ComparedFinding compare_finding(const PublishedFinding& finding, const SimulationOf& simulation) {
    ComparedFinding compared{.finding = finding};
    if (finding.measure == FindingMeasure::top_stalls) {
        compared.stalls = top_stalls(simulation(finding.device, {}), finding);
        compared.agreeing = agreeing_stalls(finding, compared.stalls);
    } else {
        compared.ours = value_of(finding, simulation);
    }
    return compared;
}

}  // namespace strata

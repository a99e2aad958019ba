// SPDX-License-Identifier: MIT
#include "run/algorithms.h"

#include "analyze/algorithm_ranks.h"
#include "analyze/ran_algorithms.h"
#include "base/enumeration.h"
#include "graph/memory.h"
#include "measure/clock.h"
#include "measure/memory_use.h"
#include "measure/stopping.h"
#include "op/convention.h"
#include "run/algorithm_candidates.h"
#include "run/lone_layer.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

AlgorithmComparison empty_comparison(const Graph& graph, const Execution& execution,
                                     std::string device) {
    return {.network = graph.name,
            .batch = batch_of(graph),
            .dtype = std::string(name_of(execution.numerics.dtype)),
            .device = std::move(device),
            .results = {},
            .memory = footprint_of(graph, execution).peak};
}

// "onednn (isa avx512_core, OpenMP threads)"
std::string engine_of(const BackendInfo& info) {
    return info.details.empty() ? info.name : fmt::format("{} ({})", info.name, info.details);
}

AlgorithmResult result_for(const Graph& graph, const DistinctLayer& distinct, Pass pass) {
    const Layer& layer = graph.layers[distinct.layer];
    AlgorithmResult result;
    result.layer = layer.name;
    result.problem = distinct.problem;
    result.layers = distinct.layers;
    result.pass = pass;
    result.flops =
        count(layer.op, signature_of(graph, layer), pass, conventions().front(), UpdateCost{});
    return result;
}

// One algorithm's executable of a layer, and the results that its steps belong to.
struct Candidate {
    std::unique_ptr<Executable> executable;
    std::vector<std::size_t> steps;
    std::vector<AlgorithmResult> results;
};

bool is_same_way(const AlgorithmResult& a, const AlgorithmResult& b) {
    return a.pass == b.pass && a.implementation == b.implementation && a.layout == b.layout &&
           std::holds_alternative<Samples>(a.time) && std::holds_alternative<Samples>(b.time);
}

// All algorithms of one layer.
class LayerMeasurement {
public:
    LayerMeasurement(const Graph& graph, const DistinctLayer& distinct, const Execution& execution,
                     Backend& backend)
        : graph_(graph),
          distinct_(distinct),
          execution_(execution),
          backend_(backend),
          lone_(graph, distinct.layer) {
        execution_ = LoneLayer::execution(execution);
    }

    std::vector<AlgorithmResult> measure(const Policy& policy) {
        for (const ConvolutionAlgorithm algorithm : candidate_algorithms()) {
            prepare(algorithm);
            if (!has_room_for_another()) {
                time_prepared(policy);
            }
        }
        time_prepared(policy);
        return std::move(done_);
    }

private:
    void prepare(ConvolutionAlgorithm algorithm) {
        Candidate candidate;
        candidate.executable =
            backend_.prepare(lone_.graph(), with_algorithm(execution_, algorithm));
        const auto steps = candidate.executable->steps();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (is_convolution_pass(lone_.graph(), steps[i])) {
                add(algorithm, i, candidate);
            }
        }
        if (candidate.results.empty()) {
            return;
        }
        lone_.examine(*candidate.executable, candidate.results);
        candidates_.push_back(std::move(candidate));
    }

    void add(ConvolutionAlgorithm algorithm, std::size_t place, Candidate& candidate) {
        const Step& step = candidate.executable->steps()[place];
        AlgorithmResult result = described(algorithm, step);
        if (const std::string reason = reason_against(step, algorithm); !reason.empty()) {
            done_.push_back(skipped(std::move(result), reason));
        } else if (AlgorithmResult* known = find_same(result)) {
            mark(algorithm, *known);
        } else {
            mark(algorithm, result);
            candidate.steps.push_back(place);
            candidate.results.push_back(std::move(result));
        }
    }

    // The engine's fallback says nothing about this algorithm.
    static AlgorithmResult skipped(AlgorithmResult result, const std::string& reason) {
        result.implementation.clear();
        result.notes.clear();
        result.layout.clear();
        result.workspace.reset();
        result.operations.reset();
        result.time = Skipped{reason};
        return result;
    }

    // A library's direct convolution and its products execute exactly the defined operations.
    std::optional<Operations> operations_of(const AlgorithmResult& result, const Step& step) const {
        const bool is_by_definition = algorithm_family(step.algorithm) == "direct";
        if (step.operations || !is_by_definition) {
            return step.operations;
        }
        const Layer& layer = graph_.layers[distinct_.layer];
        return work_of(layer.op, signature_of(graph_, layer), result.pass).operations;
    }

    AlgorithmResult described(ConvolutionAlgorithm algorithm, const Step& step) const {
        AlgorithmResult result = result_for(graph_, distinct_, step.pass);
        const bool is_named = algorithm != ConvolutionAlgorithm::automatic;
        result.algorithm = is_named ? std::string(name_of(algorithm)) : step.algorithm;
        result.implementation = step.implementation;
        result.notes = text_of(step.choice);
        result.layout = step.layout;
        result.workspace = step.workspace;
        result.operations = operations_of(result, step);
        result.time = Samples{};
        return result;
    }

    void mark(ConvolutionAlgorithm algorithm, AlgorithmResult& result) const {
        result.is_heuristic = result.is_heuristic || algorithm == ConvolutionAlgorithm::automatic;
        // (Who leaves the choice open asks for none.)
        const bool is_open = execution_.engine.algorithm == ConvolutionAlgorithm::automatic;
        result.is_asked = result.is_asked || (!is_open && algorithm == execution_.engine.algorithm);
    }

    AlgorithmResult* find_same(const AlgorithmResult& result) {
        const auto is_same = [&](const AlgorithmResult& other) {
            return is_same_way(result, other);
        };
        const auto found = std::ranges::find_if(done_, is_same);
        if (found != done_.end()) {
            return &*found;
        }
        for (Candidate& candidate : candidates_) {
            const auto here = std::ranges::find_if(candidate.results, is_same);
            if (here != candidate.results.end()) {
                return &*here;
            }
        }
        return nullptr;
    }

    // Whether another one fits in half of the machine's free memory.
    bool has_room_for_another() const {
        const auto available = available_memory();
        return !available || *available >= 4 * footprint_of(lone_.graph(), execution_).peak;
    }

    // Until the median of every executable is precise, within the policy's times for each; at least
    // two rounds.
    static void run_until_precise(Contest& contest, Policy policy) {
        constexpr std::size_t max_rounds = 50;
        const auto count = static_cast<double>(contest.size());
        policy.min_time = policy.min_time * count;
        policy.max_time = policy.max_time * count;
        Stopping stopping(policy);
        SteadyClock clock;
        const Seconds begin = clock.now();
        const auto worst = [&] {
            double precision = 0;
            for (std::size_t i = 0; i < contest.size(); ++i) {
                precision = std::max(precision, precision_of(Samples{contest.whole(i)}));
            }
            return precision;
        };
        std::optional<StopReason> reason;
        while (contest.rounds() < 2 || (!reason && contest.rounds() < max_rounds)) {
            contest.run_round();
            reason = stopping.decide(contest.rounds(), clock.now() - begin, worst);
        }
    }

    // (If memory cannot hold all at once, the n-th rounds of the parts are treated as one.)
    void time_prepared(const Policy& policy) {
        std::vector<Executable*> executables;
        std::ranges::transform(candidates_, std::back_inserter(executables),
                               [](const Candidate& one) { return one.executable.get(); });
        Contest contest = contest_of(executables);
        run_until_precise(contest, policy);
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            Candidate& candidate = candidates_[i];
            for (std::size_t j = 0; j < candidate.steps.size(); ++j) {
                candidate.results[j].time = contest.parts(i)[candidate.steps[j]];
                done_.push_back(std::move(candidate.results[j]));
            }
        }
        candidates_.clear();
    }

    const Graph& graph_;
    const DistinctLayer& distinct_;
    Execution execution_;
    Backend& backend_;
    LoneLayer lone_;
    std::vector<Candidate> candidates_;
    std::vector<AlgorithmResult> done_;
};

}  // namespace

std::vector<DistinctLayer> distinct_convolutions(const Graph& graph) {
    std::vector<DistinctLayer> distinct;
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        const Layer& layer = graph.layers[id];
        if (!is_convolution(layer.op)) {
            continue;
        }
        const std::string problem = problem_text(graph, layer);
        const auto found = std::ranges::find(distinct, problem, &DistinctLayer::problem);
        if (found == distinct.end()) {
            distinct.push_back({id, problem, 1});
        } else {
            ++found->layers;
        }
    }
    return distinct;
}

AlgorithmComparison offered_algorithms(const Graph& graph, const Execution& execution,
                                       AlgorithmSource& source) {
    AlgorithmComparison comparison = empty_comparison(graph, execution, source.device());
    const auto distinct = distinct_convolutions(graph);
    for (Algorithm& offered : source.algorithms(graph, execution)) {
        const auto found = std::ranges::find(distinct, offered.layer, &DistinctLayer::layer);
        if (found == distinct.end()) {
            continue;
        }
        AlgorithmResult& result =
            comparison.results.emplace_back(result_for(graph, *found, offered.pass));
        result.algorithm = algorithm_family(offered.notes);
        result.implementation = std::move(offered.implementation);
        result.notes = std::move(offered.notes);
        result.layout = std::move(offered.layout);
        result.workspace = offered.workspace;
        result.time = std::move(offered.time);
        result.error = offered.error;
    }
    rank_algorithms(comparison);
    return comparison;
}

AlgorithmComparison measured_algorithms(const Graph& graph, const Execution& execution,
                                        Backend& backend, const Policy& policy,
                                        const AlgorithmProgress& progress) {
    AlgorithmComparison comparison = empty_comparison(graph, execution, engine_of(backend.info()));
    comparison.sampling = AlgorithmSampling::in_turn;
    comparison.asked = name_of(execution.engine.algorithm);
    const auto distinct = distinct_convolutions(graph);
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        progress(graph.layers[distinct[i].layer].name,
                 static_cast<double>(i) / static_cast<double>(distinct.size()));
        LayerMeasurement layer(graph, distinct[i], execution, backend);
        std::ranges::move(layer.measure(policy), std::back_inserter(comparison.results));
    }
    rank_algorithms(comparison);
    return comparison;
}

}  // namespace strata

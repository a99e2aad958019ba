// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

#include "backend/cuda/convolution.h"
#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/values.h"
#include "backend/cuda/legacy_convolution.h"
#include "base/random.h"
#include "graph/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace strata::cuda {

namespace {

// The operands of one problem in a machine's memory, filled with numbers in [-1, 1).
class Trial {
public:
    Trial(Machine& machine, const ConvolutionProblem& problem)
        : machine_(machine), problem_(problem) {
        const std::array dims = {problem.x, problem.w, problem.y};
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const std::vector<std::byte> bytes = drawn(dims[i], i);
            memory_.push_back(machine.allocate(bytes.size()));
            copy_in(i, bytes);
        }
    }

    // Runs a call; records its times and its error relative to the first precise call.
    void run(std::shared_ptr<LibraryCall> work, bool is_precise, Algorithm& algorithm) {
        const Call call = {std::move(work), {}};
        const std::vector<void*> addresses = {memory_[0].get(), memory_[1].get(), memory_[2].get()};
        machine_.finalize(call);
        machine_.enqueue(call, addresses);
        const HostValues result = read_result();
        if (expected_.empty() && is_precise) {
            expected_ = result;
        }
        if (!expected_.empty()) {
            algorithm.error = distance(result);
        }
        algorithm.time = Samples{times_of(call, addresses)};
    }

private:
    std::size_t result() const {
        return problem_.pass == Pass::forward ? 2 : problem_.pass == Pass::backward_data ? 0 : 1;
    }
    const Dims& result_dims() const {
        return problem_.pass == Pass::forward         ? problem_.y
               : problem_.pass == Pass::backward_data ? problem_.x
                                                      : problem_.w;
    }

    std::vector<std::byte> drawn(const Dims& dims, std::size_t which) const {
        const RandomStream stream(1, which);
        HostValues values(static_cast<std::size_t>(product(dims)));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = stream.symmetric(i);
        }
        return encode(values, dims, problem_.format);
    }

    void copy_in(std::size_t which, std::vector<std::byte> bytes) {
        machine_.copy(Transfer::to_machine, memory_[which].get(), bytes.data(), bytes.size());
    }

    // Only the beginning of a large result, which is enough to show a plan's rounding error.
    HostValues read_result() {
        constexpr std::int64_t maximum = 1 << 18;
        const std::int64_t count = std::min(product(result_dims()), maximum);
        std::vector<std::byte> bytes(static_cast<std::size_t>(count) *
                                     size_in_bytes(problem_.format.type));
        machine_.copy(Transfer::from_machine, memory_[result()].get(), bytes.data(), bytes.size());
        return decode(bytes, {count}, {problem_.format.type});
    }

    double distance(const HostValues& values) const {
        double scale = 0;
        double worst = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            scale = std::max(scale, std::abs(static_cast<double>(expected_[i])));
            worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected_[i]));
        }
        return scale > 0 ? worst / scale : worst;
    }

    std::vector<Seconds> times_of(const Call& call, std::span<void* const> addresses) {
        constexpr int warm_ups = 3;
        constexpr int samples = 10;
        std::vector<Seconds> times;
        for (int i = 0; i < warm_ups + samples; ++i) {
            machine_.stamp(0);
            machine_.enqueue(call, addresses);
            machine_.stamp(1);
            const Seconds time = machine_.between(0, 1);
            if (i >= warm_ups) {
                times.push_back(time);
            }
        }
        return times;
    }

    Machine& machine_;
    const ConvolutionProblem& problem_;
    std::vector<Memory> memory_;
    HostValues expected_;
};

class CudnnAlgorithms : public AlgorithmSource {
public:
    CudnnAlgorithms(const DeviceProperties& properties, std::shared_ptr<Machine> machine)
        : properties_(properties), target_(properties), machine_(std::move(machine)) {}

    std::string device() const override { return properties_.name; }

    std::vector<Algorithm> algorithms(const Graph& graph, const Execution& execution) override {
        std::vector<Algorithm> all;
        std::set<std::string> seen;
        for (LayerId id = 0; id < graph.layers.size(); ++id) {
            const Layer& layer = graph.layers[id];
            if (is_convolution(layer.op) && seen.insert(problem_text(graph, layer)).second) {
                add_layer(graph, id, execution, all);
            }
        }
        return all;
    }

private:
    void add_layer(const Graph& graph, LayerId id, const Execution& execution,
                   std::vector<Algorithm>& all) {
        const ElementType type = execution.numerics.dtype == DataType::f16    ? ElementType::f16
                                 : execution.numerics.dtype == DataType::bf16 ? ElementType::bf16
                                                                              : ElementType::f32;
        const Format format = {type, convolution_order(execution)};
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            const ConvolutionProblem problem =
                problem_of_pass(graph, graph.layers[id], pass, format, execution);
            for (Algorithm& algorithm : algorithms_for(problem)) {
                algorithm.layer = id;
                algorithm.pass = pass;
                all.push_back(std::move(algorithm));
            }
        }
    }

    // The plans of heuristics A, B and fallback, then those of every engine, each once; on a device
    // also the legacy algorithms.
    std::vector<Algorithm> algorithms_for(const ConvolutionProblem& problem) {
        std::vector<Algorithm> algorithms;
        std::optional<Trial> trial;
        if (machine_) {
            trial.emplace(*machine_, problem);
        }
        std::set<std::string> seen;
        for (const HeuristicMode mode :
             {HeuristicMode::a, HeuristicMode::b, HeuristicMode::fallback, HeuristicMode::every}) {
            for (const OfferedPlan& offered : plans_or_none(problem, mode)) {
                if (is_precise_enough(problem, offered.traits) &&
                    seen.insert(name_of(offered.traits)).second) {
                    algorithms.push_back(tried(problem, offered, trial));
                }
            }
        }
        for (std::size_t i = 0; trial && i < legacy_algorithms(problem.pass).size(); ++i) {
            algorithms.push_back(tried_by_name(problem, static_cast<int>(i), *trial));
        }
        return algorithms;
    }

    // One of the literature's algorithms; only a device can say whether cuDNN still computes it.
    static Algorithm tried_by_name(const ConvolutionProblem& problem, int number, Trial& trial) {
        Algorithm algorithm;
        algorithm.implementation = fmt::format(
            "cudnn legacy:{}", legacy_algorithms(problem.pass)[static_cast<std::size_t>(number)]);
        algorithm.notes = is_deterministic(problem.pass, number) ? "" : "nondeterministic";
        algorithm.layout = text_of(problem.x, problem.format);
        try {
            const auto call = legacy_convolution(problem, number);
            trial.run(call, false, algorithm);
            algorithm.workspace = {static_cast<double>(call->workspace())};
        } catch (const DeviceError& error) {
            keep_refusal(error, algorithm);
        }
        return algorithm;
    }

    // A way without enough memory was not tried; an error that affects more than this way is passed
    // on.
    static void keep_refusal(const DeviceError& error, Algorithm& algorithm) {
        if (!is_refusal(error.trouble())) {
            throw;
        }
        if (error.trouble() == DeviceTrouble::out_of_memory) {
            algorithm.time = Skipped{error.what()};
        } else {
            algorithm.time = Failed{error.what()};
        }
    }

    // cuDNN does not offer every list for every problem.
    std::vector<OfferedPlan> plans_or_none(const ConvolutionProblem& problem,
                                           HeuristicMode mode) const {
        try {
            return convolution_plans(problem, target_, mode);
        } catch (const DeviceError&) {
            return {};
        }
    }

    // A plan that cuDNN offers but then cannot build is also a result.
    Algorithm tried(const ConvolutionProblem& problem, const OfferedPlan& offered,
                    std::optional<Trial>& trial) {
        Algorithm algorithm;
        algorithm.implementation = "cudnn:" + name_of(offered.traits);
        algorithm.notes = text_of(offered.traits.notes);
        algorithm.layout = text_of(problem.x, problem.format);
        algorithm.time = Skipped{"offered, not measured: the device is only described"};
        try {
            const auto plan = std::make_shared<const BuiltPlan>(build_plan(offered, target_));
            algorithm.workspace = {static_cast<double>(plan->workspace)};
            if (trial) {
                const NumericalNotes& notes = plan->traits.notes;
                trial->run(convolution_call(problem, plan),
                           !notes.tensor_core && !notes.down_converts_inputs, algorithm);
            }
        } catch (const DeviceError& error) {
            keep_refusal(error, algorithm);
        }
        return algorithm;
    }

    DeviceProperties properties_;
    PlanTarget target_;
    std::shared_ptr<Machine> machine_;
};

}  // namespace

std::unique_ptr<AlgorithmSource> algorithm_source(const DeviceProperties& properties,
                                                  std::shared_ptr<Machine> machine) {
    return std::make_unique<CudnnAlgorithms>(properties, std::move(machine));
}

std::unique_ptr<AlgorithmSource> make_algorithm_source(const std::string& description) {
    if (!description.empty()) {
        return algorithm_source(read_device_properties(description), nullptr);
    }
    const std::shared_ptr<Machine> machine = open_gpu();
    return algorithm_source(machine->properties(), machine);
}

}  // namespace strata::cuda

// SPDX-License-Identifier: MIT
// own_kernel DATABASE: an engine of one's own. It has a kernel for one operator, ReLU, and refuses
// every other layer. strata compares the kernel with the reference, samples it inside the network,
// and stores the run, which `strata report` and `strata compare` read like any other.
#include "backend/inputs.h"
#include "base/error.h"
#include "graph/builder.h"
#include "op/op.h"
#include "run/execute.h"
#include "store/save.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using strata::Seconds;

Seconds since(std::chrono::steady_clock::time_point start) {
    return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

bool is_relu(const strata::Layer& layer) {
    return strata::kind_of(layer.op) == "relu";
}

// A network whose tensors lie in memory one by one, row-major.
class OwnExecutable final : public strata::Executable {
public:
    OwnExecutable(const strata::Graph& graph, const strata::Execution& execution) : graph_(graph) {
        for (strata::TensorId id = 0; id < graph.tensors.size(); ++id) {
            values_.push_back(strata::initial_values(graph, id, execution.numerics.seed));
        }
        for (const strata::Task& task : strata::schedule_of(graph, execution).tasks) {
            strata::Step step{.layer = task.layer, .pass = task.pass, .implementation = "own"};
            if (!is_relu(graph.layers[task.layer]) || task.pass != strata::Pass::forward) {
                step.state = strata::Refused{"this engine knows ReLU's forward pass alone"};
            }
            steps_.push_back(step);
        }
    }

    std::span<const strata::Step> steps() const override { return steps_; }

    Seconds run() override {
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            run_step(step);
        }
        return since(start);
    }

    Seconds run_timed(std::span<Seconds> times) override {
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            const auto before = std::chrono::steady_clock::now();
            run_step(step);
            times[step] = since(before);
        }
        return since(start);
    }

    void run_step(std::size_t step) override {
        if (!steps_[step].runs()) {
            return;
        }
        const strata::Layer& layer = graph_.layers[steps_[step].layer];
        std::ranges::transform(values_[layer.inputs[0]], values_[layer.outputs[0]].begin(),
                               [](float x) { return x > 0 ? x : 0; });
    }

    strata::HostValues read(strata::TensorId tensor, strata::Content) const override {
        return values_[tensor];
    }
    void write(strata::TensorId tensor, strata::Content, std::span<const float> values) override {
        std::ranges::copy(values, values_[tensor].begin());
    }

private:
    strata::Graph graph_;
    std::vector<strata::Step> steps_;
    std::vector<strata::HostValues> values_;  // by tensor
};

class OwnBackend final : public strata::Backend {
public:
    strata::BackendInfo info() const override {
        return {.name = "own", .version = "1", .details = "plain loops"};
    }
    std::unique_ptr<strata::Executable> prepare(const strata::Graph& graph,
                                                const strata::Execution& execution) override {
        return std::make_unique<OwnExecutable>(graph, execution);
    }
};

strata::Graph network() {
    strata::GraphBuilder builder("relus");
    strata::TensorId tensor = builder.input("image", strata::Tensor{.dims = {8, 64, 56, 56}});
    for (const char* name : {"relu1", "relu2"}) {
        tensor = builder.add(name, strata::Activation{}, {tensor});
    }
    return builder.finish();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: own_kernel DATABASE\n");
        return 2;
    }
    try {
        strata::Job job;
        job.backend = "own";
        job.request.network = "relus";
        job.execution.numerics.mode = strata::Mode::inference;
        job.policy.min_time = Seconds{0.1};
        job.policy.max_time = Seconds{1};
        job.verification = strata::Verification::done;
        OwnBackend backend;
        job.plan = strata::plan_of(network(), job.execution.numerics);
        strata::Run run = strata::execute(job, backend, {});
        const auto database = strata::Database::open(argv[1]);
        strata::save_run(database, run);
        std::printf("run %lld: %zu steps agree with the reference\n",
                    static_cast<long long>(run.id), run.verified->compared);
        return 0;
    } catch (const strata::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
}

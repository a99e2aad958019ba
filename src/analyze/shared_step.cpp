// SPDX-License-Identifier: MIT
#include "analyze/shared_step.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "networks/network.h"
#include "parallel/step.h"

#include <fmt/format.h>

namespace strata {

namespace {

void multiply(NetworkPrediction& prediction, double factor) {
    for (PredictedStep& step : prediction.steps) {
        for (KernelPrediction& kernel : step.kernels) {
            kernel.time *= factor;
        }
    }
    prediction.beyond *= factor;
}

ParallelPlan plan_of(const FromSpeedup& asked) {
    ParallelPlan plan{.devices = asked.devices,
                      .gradient_bits = asked.gradient_bits,
                      .overhead = Seconds{asked.overhead_ms * 1e-3}};
    const auto overlap = value_named<Overlap>(asked.overlap);
    if (!overlap) {
        throw Error(fmt::format("overlap is on or off, not '{}'", printable(asked.overlap)));
    }
    plan.overlap = *overlap;
    return plan;
}

}  // namespace

double modelled_speedup(const Counted& network, const FromSpeedup& asked) {
    const DeviceDescription device = find_description(asked.device);
    const auto model = model_of(device);
    Execution execution;
    execution.engine.algorithm = ConvolutionAlgorithm::automatic;
    const std::int64_t batch = network.batch.value_or(1);
    const std::int64_t own = (batch + asked.devices - 1) / asked.devices;
    const auto graph_at = [&](std::int64_t examples) {
        return load_network(
            {.network = network.network, .batch = examples, .dims = {}, .variables = {}});
    };
    const Seconds published{asked.single_ms * 1e-3};
    const double factor = published / predict_network(graph_at(batch), execution, *model).time();
    const Graph graph = graph_at(own);
    NetworkPrediction prediction = predict_network(graph, execution, *model);
    multiply(prediction, factor);
    const ParallelStep step = parallel_step({graph, execution, prediction, device},
                                            find_cluster(asked.links), plan_of(asked));
    return published / step.time;
}

}  // namespace strata

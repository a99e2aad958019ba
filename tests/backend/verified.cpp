// SPDX-License-Identifier: MIT
#include "tests/backend/verified.h"

#include "verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::testing {

namespace {

std::string describe(const Graph& graph, const Step& step) {
    return graph.layers[step.layer].name + " " + std::string(name_of(step.pass));
}

}  // namespace

Execution kept_execution(Mode mode, DataType dtype) {
    return {.numerics = {.mode = mode,
                         .dtype = dtype,
                         .first_layer_gradient = FirstLayerGradient::computed},
            .scheduling = {.threads = 2, .pinned = false, .memory = MemoryReuse::kept}};
}

std::string verify_graph(Backend& backend, const Graph& graph, const Execution& execution) {
    const auto executable = backend.prepare(graph, execution);
    for (const StepCheck& check : verify(graph, execution, *executable)) {
        const Step& step = executable->steps()[check.step];
        EXPECT_EQ(check.reason, "") << describe(graph, step) << " by " << step.implementation;
    }
    std::string refusals;
    for (const Step& step : executable->steps()) {
        if (step.is_refused()) {
            refusals += describe(graph, step) + ": " + step.refusal() + "\n";
        }
    }
    return refusals;
}

std::string verified_inclusions(Backend& backend, const Graph& graph, const Execution& execution) {
    verify_graph(backend, graph, execution);
    const auto executable = backend.prepare(graph, execution);
    std::string text;
    for (const Step& step : executable->steps()) {
        if (step.within() && step.pass == Pass::forward) {
            text += graph.layers[step.layer].name + " by " +
                    graph.layers[step.within()->layer].name + "\n";
        }
    }
    return text;
}

std::string without_combined(const std::string& refusals) {
    const bool combined = refusals.find("computed together with") != std::string::npos;
    return combined && std::count(refusals.begin(), refusals.end(), '\n') == 1 ? std::string()
                                                                               : refusals;
}

}  // namespace strata::testing

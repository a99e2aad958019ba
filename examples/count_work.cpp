// SPDX-License-Identifier: MIT count_work [NETWORK [BATCH]]: the work of a training step, by pass.
// Nothing runs.
#include "base/error.h"
#include "graph/memory.h"
#include "graph/schedule.h"
#include "networks/network.h"
#include "op/convention.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace {

void count_work(const strata::NetworkRequest& request) {
    const strata::Graph graph = strata::load_network(request);
    const strata::Execution training;
    const strata::Convention& convention = strata::find_convention("multiply-add-2");

    std::map<strata::Pass, double> operations;
    for (const strata::Task& task : strata::schedule_of(graph, training).tasks) {
        const strata::Layer& layer = graph.layers[task.layer];
        operations[task.pass] +=
            strata::count(layer.op, strata::signature_of(graph, layer), task.pass, convention)
                .value;
    }
    std::printf("%s: %zu layers, %lld parameters, %.1f MB of memory in training\n",
                graph.name.c_str(), graph.layers.size(),
                static_cast<long long>(strata::parameter_count(graph)),
                strata::footprint_of(graph, training).peak.value / 1e6);
    for (const auto& [pass, count] : operations) {
        std::printf("  %-16s %10.3f GFLOP\n", strata::name_of(pass).data(), count / 1e9);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        strata::NetworkRequest request{
            .network = argc > 1 ? argv[1] : "alexnet", .batch = {}, .dims = {}, .variables = {}};
        if (argc > 2) {
            request.batch = std::atoll(argv[2]);
        }
        count_work(request);
        return 0;
    } catch (const strata::Error& error) {  // one sentence: what, where, what to do
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
}

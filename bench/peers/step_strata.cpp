// SPDX-License-Identifier: MIT
//
// Training steps of a network in strata's own engine, for compare.py (see protocol.h).
//   step_strata NETWORK BATCH THREADS [direct|winograd|auto]
#include "backend/backend.h"
#include "backend/module.h"
#include "bench/peers/protocol.h"
#include "graph/network.h"

#include <cstdlib>

int main(int argc, char** argv) {
    using namespace strata;
    if (argc < 4) {
        std::fprintf(stderr, "usage: step_strata NETWORK BATCH THREADS [direct|winograd|auto]\n");
        return 2;
    }
    const std::string algorithm = argc > 4 ? argv[4] : "direct";
    Execution execution;
    execution.threads = std::atoi(argv[3]);
    execution.algorithm = algorithm == "winograd" ? ConvolutionAlgorithm::winograd
                          : algorithm == "auto"   ? ConvolutionAlgorithm::automatic
                                                  : ConvolutionAlgorithm::direct;
    const Graph graph =
        load_network({.network = argv[1], .batch = std::atoll(argv[2]), .dims = {}, .variables = {}});
    const auto backend = open_backend_module("onednn");
    const auto executable = backend->prepare(graph, execution);
    answer_requests([&] { executable->run(); });
}

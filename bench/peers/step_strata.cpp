// SPDX-License-Identifier: MIT
//
// Training steps of a network in strata's own engines, for compare.py (see protocol.h).
//   step_strata NETWORK BATCH THREADS [direct|winograd|auto] [BACKEND] [f32|tf32|bf16|f16]
#include "backend/backend.h"
#include "backend/module.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "bench/peers/protocol.h"
#include "networks/network.h"

#include <cstdlib>

namespace {

using namespace strata;

Execution execution_of(int threads, const std::string& algorithm, const std::string& type) {
    Execution execution;
    execution.scheduling.threads = threads;
    execution.engine.algorithm = value_named<ConvolutionAlgorithm>(algorithm).value();
    execution.numerics.single_precision =
        type == "tf32" ? SinglePrecision::tf32 : SinglePrecision::full;
    execution.numerics.dtype = parse_data_type(type == "tf32" ? "f32" : type);
    return execution;
}

void answer(int argc, char** argv) {
    const auto argument = [&](int i, const char* otherwise) {
        return std::string(argc > i ? argv[i] : otherwise);
    };
    const Graph graph = load_network(
        {.network = argv[1], .batch = std::atoll(argv[2]), .dims = {}, .variables = {}});
    const auto backend = open_backend_module(argument(5, "onednn"));
    const auto executable = backend->prepare(
        graph, execution_of(std::atoi(argv[3]), argument(4, "direct"), argument(6, "f32")));
    answer_requests([&] { executable->run(); });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr,
                     "usage: step_strata NETWORK BATCH THREADS [direct|winograd|auto] "
                     "[BACKEND] [f32|tf32|bf16|f16]\n");
        return 2;
    }
    try {
        answer(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "step_strata: %s\n", error.what());
        return 1;
    }
}

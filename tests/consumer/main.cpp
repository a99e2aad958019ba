// SPDX-License-Identifier: MIT
#include "graph/network.h"

#include <cstdio>

int main() {
    const strata::Graph graph =
        strata::load_network({.network = "alexnet", .batch = 2, .dims = {}, .variables = {}});
    std::printf("%s has %lld parameters\n", graph.name.c_str(),
                static_cast<long long>(strata::parameter_count(graph)));
    return strata::parameter_count(graph) == 60'965'224 ? 0 : 1;
}

// SPDX-License-Identifier: MIT
#pragma once

#include "record/observation.h"

#include <string>

namespace strata::testing {

// A run of "fc:layers=L,nodes=n" that took so many seconds.
inline Observation observed(const std::string& backend, int layers, int nodes, int batch,
                            double seconds, double flops = 1e9) {
    Observation run;
    run.backend = backend;
    run.mode = "training";
    run.dtype = "f32";
    describe_network("fc:layers=" + std::to_string(layers) + ",nodes=" + std::to_string(nodes),
                     run);
    run.batch = batch;
    run.flops = Flops{flops};
    run.traffic = Bytes{flops / 10};
    run.time = {Seconds{seconds}, Seconds{seconds}, Seconds{seconds}};
    return run;
}

}  // namespace strata::testing

// SPDX-License-Identifier: MIT
#include "backend/cuda/algorithms.h"
#include "backend/cuda/engine.h"

// The module's one entry: backend/module.h opens it by this name and owns what it gives.
extern "C" __attribute__((visibility("default"))) strata::Backend* strata_make_backend() {
    return strata::cuda::make_backend().release();
}

// The module's other entry: the algorithms of a device that is described in a file, or of this one.
extern "C" __attribute__((visibility("default"))) strata::AlgorithmSource*
strata_make_algorithm_source(const char* description) {
    return strata::cuda::make_algorithm_source(description).release();
}

// SPDX-License-Identifier: MIT
#include "backend/module.h"
#include "backend/cuda/algorithms.h"
#include "backend/cuda/engine.h"

// By what headers the module was built.
extern "C" __attribute__((visibility("default"))) std::uint64_t strata_module_interface() {
    return strata::module_interface();
}

// The module's entry: backend/module.h opens it by this name and owns what it gives.
extern "C" __attribute__((visibility("default"))) strata::Backend* strata_make_backend() {
    return strata::cuda::make_backend().release();
}

// The module's other entry: the algorithms of a device that is described in a file, or of this one.
extern "C" __attribute__((visibility("default"))) strata::AlgorithmSource*
strata_make_algorithm_source(const char* description) {
    return strata::cuda::make_algorithm_source(description).release();
}

// SPDX-License-Identifier: MIT
#include "backend/module.h"
#include "backend/cuda/engine.h"

// The hash of the headers that the module was built with.
extern "C" __attribute__((visibility("default"))) std::uint64_t strata_module_interface() {
    return strata::module_interface();
}

// The module's entry: backend/module.h looks it up by this name and owns the result.
extern "C" __attribute__((visibility("default"))) strata::Backend* strata_make_backend() {
    return strata::cuda::make_backend().release();
}

// The module's other entry: the algorithms of a device described in a file, or of the current one.
extern "C" __attribute__((visibility("default"))) strata::AlgorithmSource*
strata_make_algorithm_source(const char* description) {
    return strata::cuda::make_algorithm_source(description).release();
}

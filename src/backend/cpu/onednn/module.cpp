// SPDX-License-Identifier: MIT
#include "backend/module.h"
#include "backend/cpu/onednn/engine.h"

// The hash of the headers that the module was built with.
extern "C" __attribute__((visibility("default"))) std::uint64_t strata_module_interface() {
    return strata::module_interface();
}

// The module's entry: backend/module.h looks it up by this name and owns the result.
extern "C" __attribute__((visibility("default"))) strata::Backend* strata_make_backend() {
    return strata::cpu::make_backend().release();
}

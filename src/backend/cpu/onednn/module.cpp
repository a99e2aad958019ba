// SPDX-License-Identifier: MIT
#include "backend/module.h"
#include "backend/cpu/onednn/engine.h"

// By what headers the module was built.
extern "C" __attribute__((visibility("default"))) std::uint64_t strata_module_interface() {
    return strata::module_interface();
}

// The module's entry: backend/module.h opens it by this name and owns what it gives.
extern "C" __attribute__((visibility("default"))) strata::Backend* strata_make_backend() {
    return strata::cpu::make_backend().release();
}

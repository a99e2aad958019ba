// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

// The module's one entry: backend/module.h opens it by this name and owns what it gives.
extern "C" __attribute__((visibility("default"))) strata::Backend* strata_make_backend() {
    return strata::cuda::make_backend().release();
}

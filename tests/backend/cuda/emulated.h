// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device/properties.h"
#include "backend/cuda/lowering.h"

namespace strata::testing {

// An H200 as described in its data sheet and NVIDIA's programming guide.
cuda::DeviceProperties described_h200();

// The GPU backend with this processor in place of the GPU (host_machine.h).
std::unique_ptr<Backend> emulated_backend(cuda::LayerForm layer_form = cuda::LayerForm::library);

}  // namespace strata::testing

// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device/properties.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// cuDNN, cuBLASLt and kernels of our own on the current NVIDIA GPU. Throws DeviceError where there
// is none that works.
std::unique_ptr<Backend> make_backend();

// Everything that is done before memory is taken, for a GPU that need not be there: operators
// lowered, plans of cuDNN built, workspaces known, kernels' launches laid out.
Program prepare_program(const Graph& graph, const Execution& execution,
                        const DeviceProperties& properties,
                        LayerForm layer_form = LayerForm::library);

}  // namespace strata::cuda

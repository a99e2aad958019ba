// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/backend.h"
#include "backend/cuda/device/machine.h"
#include "backend/cuda/device/properties.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// A backend of cuDNN, cuBLASLt and our own kernels on the current NVIDIA GPU. Throws DeviceError if
// there is no working one.
std::unique_ptr<Backend> make_backend();

// Why a GPU computes nothing in the execution's type, as a sentence; empty if it does. Tensor cores
// take bf16 and TF32 from compute capability 8.0 on; below it cuDNN has no plan for the first, and
// would compute the second in full f32.
std::string refusal_of_type(const DeviceProperties& properties, const Execution& execution);

// Everything that is done before memory is allocated, for a GPU that need not be present: lowering
// operators, building cuDNN's plans, determining workspaces, laying out kernel launches.
Program prepare_program(const Graph& graph, const Execution& execution,
                        const DeviceProperties& properties,
                        LayerForm layer_form = LayerForm::library);

// The algorithms that cuDNN offers for convolutions on the device described in the file
// `description`, or, if that is empty, on the current device, where each plan is also run. Throws
// DeviceError, or Error for the file.
std::unique_ptr<AlgorithmSource> make_algorithm_source(const std::string& description);

// The same for any machine; without a machine nothing is run.
std::unique_ptr<AlgorithmSource> algorithm_source(const DeviceProperties& properties,
                                                  std::shared_ptr<Machine> machine);

// The current CUDA device. Throws DeviceError if there is none, or no driver, or the driver is too
// old.
std::shared_ptr<Machine> open_gpu();

}  // namespace strata::cuda

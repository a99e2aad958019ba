// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/properties.h"

namespace strata::cuda {

// A device by its description, which cuDNN then plans for whether it is there or not.
Descriptor device_descriptor(const DeviceProperties& properties);

// What cuDNN says of the device of this number: JSON as properties.h reads it. Throws DeviceError.
std::string description_of_device(int device);

}  // namespace strata::cuda

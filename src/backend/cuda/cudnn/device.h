// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/properties.h"

namespace strata::cuda {

// A descriptor of a device with these properties. cuDNN plans for it whether it is present or not.
Descriptor device_descriptor(const DeviceProperties& properties);

// cuDNN's description of the device with this index: JSON as properties.h reads it. Throws
// DeviceError.
std::string description_of_device(int device);

}  // namespace strata::cuda

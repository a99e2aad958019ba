// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/device.h"

namespace strata::cuda {

Descriptor device_descriptor(const DeviceProperties& properties) {
    Descriptor descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, to_json(properties));
    descriptor.finalize();
    return descriptor;
}

std::string description_of_device(int device) {
    Descriptor descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    const auto number = static_cast<std::int32_t>(device);
    descriptor.set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &number);
    descriptor.finalize();
    return descriptor.get_text(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION);
}

}  // namespace strata::cuda

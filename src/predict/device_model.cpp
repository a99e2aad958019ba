// SPDX-License-Identifier: MIT
#include "predict/device_model.h"

#include "base/error.h"
#include "predict/gpu_model.h"
#include "predict/tpu_model.h"

#include <fmt/format.h>

namespace strata {

Seconds time_of(const Kernels& kernels) {
    Seconds sum;
    for (const KernelPrediction& kernel : kernels) {
        sum += kernel.time;
    }
    return sum;
}

std::unique_ptr<DeviceModel> model_of(const DeviceDescription& device,
                                      const DeviceChanges& changes) {
    if (device.kind == DeviceKind::tpu) {
        Tpu tpu = tpu_of(device);
        apply(tpu, changes);
        return tpu_model(std::move(tpu));
    }
    if (device.kind != DeviceKind::gpu) {
        throw Error(fmt::format("{} is a {}, on which networks cannot be predicted yet; choose a "
                                "GPU or TPU, which strata list devices names",
                                device.name, name_of(device.kind)),
                    ExitCode::usage);
    }
    Gpu gpu{device, gpu_rates_of(device)};
    apply(gpu, changes);
    return gpu_model(std::move(gpu));
}

}  // namespace strata

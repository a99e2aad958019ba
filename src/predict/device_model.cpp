// SPDX-License-Identifier: MIT
#include "predict/device_model.h"

#include "base/error.h"
#include "predict/cpu_model.h"
#include "predict/gpu_model.h"

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
    if (device.kind == DeviceKind::cpu) {
        Cpu cpu{device, cpu_rates_of(device)};
        apply(cpu, changes);
        return cpu_model(std::move(cpu));
    }
    if (device.kind != DeviceKind::gpu) {
        throw Error(fmt::format("{} is a {}, on which networks cannot be predicted yet; choose a "
                                "GPU or a CPU, which strata list devices names",
                                device.name, name_of(device.kind)),
                    ExitCode::usage);
    }
    Gpu gpu{device, gpu_rates_of(device)};
    apply(gpu, changes);
    return gpu_model(std::move(gpu));
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "predict/device_model.h"

#include "predict/cpu_model.h"
#include "predict/gpu_model.h"
#include "predict/tpu_model.h"

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
    switch (device.kind) {
        case DeviceKind::cpu: {
            Cpu cpu{device, cpu_rates_of(device)};
            apply(cpu, changes);
            return cpu_model(std::move(cpu));
        }
        case DeviceKind::tpu: {
            Tpu tpu = tpu_of(device);
            apply(tpu, changes);
            return tpu_model(std::move(tpu));
        }
        case DeviceKind::gpu:
            break;
    }
    Gpu gpu{device, gpu_rates_of(device)};
    apply(gpu, changes);
    return gpu_model(std::move(gpu));
}

}  // namespace strata

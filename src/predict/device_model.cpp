// SPDX-License-Identifier: MIT
#include "predict/device_model.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "predict/cpu_model.h"
#include "predict/gpu_model.h"
#include "predict/tpu_model.h"

#include <fmt/format.h>

#include <ranges>

namespace strata {

Seconds time_of(std::span<const KernelPrediction> kernels) {
    Seconds sum;
    for (const KernelPrediction& kernel : kernels | std::views::reverse) {
        sum += kernel.time;
    }
    return sum;
}

double values_of(const Tensor& tensor) {
    double values = 1;
    for (const std::int64_t extent : tensor.dims) {
        values *= static_cast<double>(extent);
    }
    return values;
}

FedValues fed_values(const Graph& graph, const Execution& execution) {
    FedValues fed;
    for (const TensorId id : graph.inputs) {
        const GraphTensor& input = graph.tensors[id];
        fed.samples += input.role == Role::label ? 0.0 : values_of(input.tensor);
    }
    if (execution.numerics.mode == Mode::training) {
        for (const Layer& layer : graph.layers) {
            if (std::holds_alternative<SoftmaxCrossEntropy>(layer.op)) {
                fed.classes += values_of(graph.tensors[layer.inputs.front()].tensor);
            }
        }
    }
    return fed;
}

namespace {

// What runs on a GPU is no number of another device.
void require_no_software(const DeviceDescription& device, const DeviceChanges& changes) {
    for (const std::string& text : changes) {
        for (const char* const key : {"framework", "products"}) {
            if (value_for(key, text)) {
                throw Error(fmt::format("{} says what runs on a GPU, and {} is a {}: leave it out",
                                        text, device.name, name_of(device.kind)),
                            ExitCode::usage);
            }
        }
    }
}

}  // namespace

std::unique_ptr<DeviceModel> model_of(const DeviceDescription& device,
                                      const DeviceChanges& changes) {
    if (device.kind != DeviceKind::gpu) {
        require_no_software(device, changes);
    }
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
    Gpu gpu = gpu_of(device);
    apply(gpu, changes);
    return gpu_model(std::move(gpu));
}

}  // namespace strata

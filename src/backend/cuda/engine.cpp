// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

#include "backend/cuda/ceilings.h"
#include "backend/cuda/cudnn/run_time_compiler.h"
#include "backend/cuda/executable.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/lowering.h"
#include "backend/cuda/nvml/state.h"
#include "backend/cuda/profiling.h"
#include "base/error.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::cuda {

namespace {

// cuDNN writes 9.19.0 as 91900, cuBLAS 13.1.0 as 130100.
std::string cudnn_version() {
    const std::size_t version = cudnnGetVersion();
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string cublas_version() {
    const std::size_t version = cublasLtGetVersion();
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

bool refuses_whole_layer(const Graph& graph, std::span<const Step> steps) {
    return std::ranges::any_of(steps, [&](const Step& step) {
        const Op& op = graph.layers[step.layer].op;
        return !step.runs() && step.implementation.starts_with("cudnn:") &&
               (std::holds_alternative<Attention>(op) || std::holds_alternative<Recurrent>(op));
    });
}

// The current device's bus id, in the form of the driver's own tools; empty if CUDA does not report
// it.
std::string bus_of_device() {
    int device = 0;
    std::array<char, 64> bus = {};
    const bool is_told = cudaGetDevice(&device) == cudaSuccess &&
                         cudaDeviceGetPCIBusId(bus.data(), bus.size(), device) == cudaSuccess;
    return is_told ? std::string(bus.data()) : std::string();
}

// Asks one of the kernels that are compiled in both variants.
Reads reads_of_linked_kernels() {
    return activation_forward(Activation{}, 1, {ElementType::f32, ElementType::f32}).reads;
}

class CudaBackend : public Backend {
public:
    CudaBackend() : machine_(open_gpu()) {}

    std::optional<std::string> counting_refusal() override { return cuda::counting_refusal(); }

    std::string refusal_of(const Execution& execution) const override {
        switch (execution.engine.image_layout) {
            case ImageLayout::blocked:
                return "a GPU has no blocked images: choose nchw or nhwc with --layout";
            case ImageLayout::batch_last:
                return "cuDNN has no images with the batch innermost: choose nchw or nhwc with "
                       "--layout";
            default:
                return refusal_of_type(machine_->properties(), execution);
        }
    }

    std::vector<std::string> shortcomings() override {
        std::string no_compiler = refusal_of_run_time_compiler();
        return no_compiler.empty() ? std::vector<std::string>() : std::vector{no_compiler};
    }

    BackendInfo info() const override {
        const DeviceProperties& device = machine_->properties();
        return {"cuda",
                cudnn_version(),
                fmt::format("{}, sm_{}, driver {}.{}, cuBLASLt {}", device.name,
                            device.compute_capability, device.driver_version / 1000,
                            device.driver_version % 1000 / 10, cublas_version()),
                Bytes{static_cast<double>(device.memory_bytes)},
                device.name,
                free_memory()};
    }

    // Replaces a whole-layer form that cuDNN refuses, which only the device can decide, by the
    // composed form.
    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        auto executable = prepare(graph, execution, LayerForm::library);
        if (refuses_whole_layer(graph, executable->steps())) {
            executable.reset();
            executable = prepare(graph, execution, LayerForm::composed);
        }
        return executable;
    }

    DeviceWatch* watch() override {
        if (!watch_) {
            watch_ = std::make_unique<NvmlWatch>(machine_->properties().name,
                                                 NvmlDevice(open_nvml(), bus_of_device()));
        }
        return watch_.get();
    }

    std::optional<Device> measure_device(
        const std::function<void(const std::string&)>& progress) override {
        return measure_ceilings(*machine_, watch(), progress);
    }

private:
    std::optional<Bytes> free_memory() const {
        const auto free = machine_->free_memory();
        return free ? std::optional(Bytes{static_cast<double>(*free)}) : std::nullopt;
    }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution,
                                        LayerForm form) {
        machine_->limit_waits(execution.scheduling.device_timeout);
        return std::make_unique<CudaExecutable>(
            graph, prepare_program(graph, execution, machine_->properties(), form), machine_);
    }

    std::shared_ptr<Machine> machine_;
    std::unique_ptr<DeviceWatch> watch_;
};

}  // namespace

std::string refusal_of_type(const DeviceProperties& properties, const Execution& execution) {
    constexpr int ampere = 80;
    const bool is_bf16 = execution.numerics.dtype == DataType::bf16;
    const bool is_tf32 = execution.numerics.dtype == DataType::f32 &&
                         execution.numerics.single_precision == SinglePrecision::tf32;
    if (properties.compute_capability >= ampere || !(is_bf16 || is_tf32)) {
        return {};
    }
    return fmt::format("{} (sm_{}) has no {}, which came with compute capability 8.0; {}",
                       properties.name, properties.compute_capability, is_bf16 ? "bf16" : "TF32",
                       is_bf16 ? "choose --dtype f16" : "leave --tf32 out");
}

Program prepare_program(const Graph& graph, const Execution& execution,
                        const DeviceProperties& properties, LayerForm layer_form) {
    check((execution.engine.l1 == L1Caching::bypassed) ==
              (reads_of_linked_kernels() == Reads::past_l1),
          "the module whose kernels read as the execution wants is opened");
    return Lowering(graph, execution, properties, layer_form).run();
}

std::unique_ptr<Backend> make_backend() {
    return std::make_unique<CudaBackend>();
}

}  // namespace strata::cuda

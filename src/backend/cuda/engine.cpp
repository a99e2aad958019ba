// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

#include "backend/cuda/executable.h"
#include "backend/cuda/gpu_machine.h"
#include "backend/cuda/recurrent.h"

#include <cublasLt.h>
#include <cudnn.h>
#include <fmt/format.h>

#include <algorithm>

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

class CudaBackend : public Backend {
public:
    CudaBackend() : machine_(open_gpu()) {}

    BackendInfo info() const override {
        const DeviceProperties& device = machine_->properties();
        return {"cuda", cudnn_version(),
                fmt::format("{}, sm_{}, driver {}.{}, cuBLASLt {}", device.name,
                            device.compute_capability, device.driver_version / 1000,
                            device.driver_version % 1000 / 10, cublas_version()),
                Bytes{static_cast<double>(device.memory_bytes)}};
    }

    // What cuDNN refuses of a recurrent layer, and only the device can tell, is composed.
    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        auto executable = prepare(graph, execution, RecurrentForm::library);
        if (std::ranges::any_of(executable->steps(), is_refused_recurrent)) {
            executable.reset();
            executable = prepare(graph, execution, RecurrentForm::composed);
        }
        return executable;
    }

private:
    static bool is_refused_recurrent(const Step& step) {
        return !step.refusal.empty() && step.implementation == recurrent_implementation;
    }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution,
                                        RecurrentForm form) {
        return std::make_unique<CudaExecutable>(
            graph, prepare_program(graph, execution, machine_->properties(), form), machine_);
    }

    std::shared_ptr<Machine> machine_;
};

}  // namespace

Program prepare_program(const Graph& graph, const Execution& execution,
                        const DeviceProperties& properties, RecurrentForm recurrent_form) {
    return Lowering(graph, execution, properties, recurrent_form).run();
}

std::unique_ptr<Backend> make_backend() {
    return std::make_unique<CudaBackend>();
}

}  // namespace strata::cuda

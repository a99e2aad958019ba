// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulated.h"

#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "tests/backend/cuda/host_machine.h"

namespace strata::testing {

namespace {

class EmulatedBackend : public Backend {
public:
    explicit EmulatedBackend(cuda::LayerForm layer_form) : layer_form_(layer_form) {}

    BackendInfo info() const override { return {"cuda", "0", "emulated on the host"}; }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        return std::make_unique<cuda::CudaExecutable>(
            graph, cuda::prepare_program(graph, execution, described_h200(), layer_form_),
            std::make_shared<HostMachine>(described_h200()));
    }

private:
    cuda::LayerForm layer_form_;
};

}  // namespace

std::unique_ptr<Backend> emulated_backend(cuda::LayerForm layer_form) {
    return std::make_unique<EmulatedBackend>(layer_form);
}

}  // namespace strata::testing

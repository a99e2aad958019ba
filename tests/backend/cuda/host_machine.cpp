// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/host_machine.h"

#include "tests/backend/cuda/emulator/emulator.h"
#include "tests/backend/cuda/library_on_host.h"

#include <cstdlib>
#include <cstring>

namespace strata::testing {

namespace {

class Repetition : public cuda::Replay {
public:
    explicit Repetition(std::function<void()> enqueue_all) : enqueue_all_(std::move(enqueue_all)) {}
    void enqueue() override { enqueue_all_(); }

private:
    std::function<void()> enqueue_all_;
};

}  // namespace

cuda::Memory HostMachine::allocate(std::size_t bytes) {
    void* begin = std::calloc(bytes == 0 ? 1 : bytes, 1);
    if (begin == nullptr) {
        throw cuda::DeviceError(cuda::DeviceTrouble::out_of_memory, "the host has not the memory");
    }
    blocks_->emplace(begin, bytes);
    return {begin, [blocks = blocks_](void* memory) {
                blocks->erase(memory);
                std::free(memory);
            }};
}

void HostMachine::clear(void* memory, std::size_t bytes) {
    std::memset(memory, 0, bytes);
}

void HostMachine::copy(cuda::Transfer transfer, void* machine, void* host, std::size_t bytes) {
    if (transfer == cuda::Transfer::to_machine) {
        std::memcpy(machine, host, bytes);
    } else {
        std::memcpy(host, machine, bytes);
    }
}

void HostMachine::enqueue(const cuda::Call& call, std::span<void* const> addresses) {
    if (const auto* kernel = std::get_if<cuda::Kernel>(&call.function)) {
        run_emulated(*kernel, memory_of(call, addresses), addresses);
    } else {
        compute_on_host(*std::get<std::shared_ptr<cuda::LibraryCall>>(call.function), addresses);
    }
}

std::unique_ptr<cuda::Replay> HostMachine::record(const std::function<void()>& enqueue_all) {
    return std::make_unique<Repetition>(enqueue_all);
}

// A call's views; a call without views, which belongs to no network, may access all memory.
std::vector<std::span<const std::byte>> HostMachine::memory_of(
    const cuda::Call& call, std::span<void* const> addresses) const {
    std::vector<std::span<const std::byte>> memory;
    for (std::size_t i = 0; i < call.views.size(); ++i) {
        memory.emplace_back(static_cast<const std::byte*>(addresses[i]), call.views[i].bytes());
    }
    if (call.views.empty()) {
        for (const auto& [begin, bytes] : *blocks_) {
            memory.emplace_back(static_cast<const std::byte*>(begin), bytes);
        }
    }
    return memory;
}

void run_emulated(const cuda::Kernel& kernel, std::vector<std::span<const std::byte>> memory,
                  std::span<void* const> addresses) {
    const LaunchScope scope(kernel.name, std::move(memory));
    if (const int error = kernel.launch(nullptr, addresses); error != 0) {
        throw KernelFault(kernel.name + ": CUDA's runtime was called (" + std::to_string(error) +
                          "), so the program links the GPU's kernels");
    }
}

}  // namespace strata::testing

// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <map>

namespace strata::testing {

// This processor in place of a GPU: memory is the host's, kernels run on the emulator
// (emulator/emulator.h), and plain loops replace the libraries, executing each call as soon as it
// is enqueued. Its times mean nothing. Throws KernelFault.
class HostMachine : public cuda::Machine {
public:
    explicit HostMachine(cuda::DeviceProperties properties) : properties_(std::move(properties)) {}

    const cuda::DeviceProperties& properties() const override { return properties_; }
    cuda::Memory allocate(std::size_t bytes) override;
    void clear(void* memory, std::size_t bytes) override;
    void copy(cuda::Transfer transfer, void* machine, void* host, std::size_t bytes) override;
    void finalize(const cuda::Call&) override {}
    void probe(const cuda::Call&, std::span<void* const>) override {}
    void enqueue(const cuda::Call& call, std::span<void* const> addresses) override;
    std::unique_ptr<cuda::Replay> record(const std::function<void()>& enqueue_all) override;
    void stamp(std::size_t) override {}
    Seconds between(std::size_t, std::size_t) override { return {}; }
    void wait() override {}

private:
    using Blocks = std::map<void*, std::size_t>;  // bytes by address

    std::vector<std::span<const std::byte>> memory_of(const cuda::Call& call,
                                                      std::span<void* const> addresses) const;

    cuda::DeviceProperties properties_;
    std::shared_ptr<Blocks> blocks_ = std::make_shared<Blocks>();
};

// Runs a kernel on the emulator. It may only access this memory.
void run_emulated(const cuda::Kernel& kernel, std::vector<std::span<const std::byte>> memory,
                  std::span<void* const> addresses);

}  // namespace strata::testing

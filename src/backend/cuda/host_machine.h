// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

namespace strata::cuda {

// This processor in place of a GPU: memory is the host's, and each call is computed immediately by
// its host implementation. It is slow, and its times mean nothing; it verifies a program without a
// GPU.
class HostMachine : public Machine {
public:
    explicit HostMachine(DeviceProperties properties) : properties_(std::move(properties)) {}

    const DeviceProperties& properties() const override { return properties_; }
    Memory allocate(std::size_t bytes) override;
    void clear(void* memory, std::size_t bytes) override;
    void copy(Transfer transfer, void* machine, void* host, std::size_t bytes) override;
    void finalize(const Call&) override {}
    void probe(const Call&, std::span<void* const>) override {}
    void enqueue(const Call& call, std::span<void* const> addresses) override;
    std::unique_ptr<Replay> record(const std::function<void()>& enqueue_all) override;
    void stamp(std::size_t) override {}
    Seconds between(std::size_t, std::size_t) override { return {}; }
    void wait() override {}

private:
    DeviceProperties properties_;
};

}  // namespace strata::cuda

// SPDX-License-Identifier: MIT
#include "backend/cuda/host_machine.h"

#include <cstdlib>
#include <cstring>

namespace strata::cuda {

namespace {

class Repetition : public Replay {
public:
    explicit Repetition(std::function<void()> enqueue_all) : enqueue_all_(std::move(enqueue_all)) {}
    void enqueue() override { enqueue_all_(); }

private:
    std::function<void()> enqueue_all_;
};

}  // namespace

Memory HostMachine::allocate(std::size_t bytes) {
    void* begin = std::calloc(bytes == 0 ? 1 : bytes, 1);
    if (begin == nullptr) {
        throw DeviceError(DeviceTrouble::out_of_memory, "the host has not the memory");
    }
    return {begin, [](void* memory) { std::free(memory); }};
}

void HostMachine::clear(void* memory, std::size_t bytes) {
    std::memset(memory, 0, bytes);
}

void HostMachine::copy(Transfer transfer, void* machine, void* host, std::size_t bytes) {
    if (transfer == Transfer::to_machine) {
        std::memcpy(machine, host, bytes);
    } else {
        std::memcpy(host, machine, bytes);
    }
}

void HostMachine::enqueue(const Call& call, std::span<void* const> addresses) {
    if (const auto* kernel = std::get_if<Kernel>(&call.function)) {
        kernel->compute_on_host(addresses);
    } else {
        std::get<std::shared_ptr<LibraryCall>>(call.function)->compute_on_host(addresses);
    }
}

std::unique_ptr<Replay> HostMachine::record(const std::function<void()>& enqueue_all) {
    return std::make_unique<Repetition>(enqueue_all);
}

}  // namespace strata::cuda

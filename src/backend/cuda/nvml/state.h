// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/nvml/library.h"
#include "measure/device_state.h"

#include <map>
#include <string>

namespace strata::cuda {

// The clock limits that a mask of NVML's (nvmlClocksEventReasons) stands for.
std::vector<ClockLimit> limits_of_mask(unsigned long long mask);

// One device as NVML tells of it. What a library lacks or refuses is left out, never 0.
class NvmlDevice {
public:
    // The device at a PCI bus: CUDA's numbers and NVML's need not agree.
    NvmlDevice(const OpenedNvml& opened, const std::string& bus);

    // Why it tells nothing at all; empty where it does.
    const std::string& refusal() const { return refusal_; }

    // gpu.uuid to gpu.mig of backend/device_watch.h, gpu.nvml and gpu.nvml.refused.
    std::map<std::string, std::string> describe() const;

    DeviceState state() const;

private:
    std::optional<int> other_processes() const;

    NvmlLibrary library_;
    NvmlHandle handle_ = nullptr;
    std::string refusal_;
};

}  // namespace strata::cuda

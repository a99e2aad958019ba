// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/nvml/library.h"
#include "backend/device_watch.h"
#include "measure/device_state.h"

#include <map>
#include <string>

namespace strata::cuda {

// The clock limits in one of NVML's masks (nvmlClocksEventReasons).
std::vector<ClockLimit> limits_of_mask(unsigned long long mask);

// The state of one device as NVML reports it. A value that a library lacks or refuses is left out,
// never 0.
class NvmlDevice {
public:
    // The device is identified by its PCI bus: CUDA's and NVML's indices need not agree.
    NvmlDevice(const OpenedNvml& opened, const std::string& bus);

    // Why it reports nothing at all; empty if it does.
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

// Watches a GPU through NVML. The name, which CUDA knows, is reported with or without NVML.
class NvmlWatch : public DeviceWatch {
public:
    NvmlWatch(std::string name, NvmlDevice device)
        : name_(std::move(name)), device_(std::move(device)) {}

    std::map<std::string, std::string> describe() override;
    DeviceState state() override { return device_.state(); }

private:
    std::string name_;
    NvmlDevice device_;
};

}  // namespace strata::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/nvml/state.h"
#include "backend/device_watch.h"

namespace strata::cuda {

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

// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/nvml/state.h"
#include "backend/device_watch.h"

namespace strata::cuda {

// A GPU by NVML. Its name, which CUDA knows, is told whether NVML is there or not.
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

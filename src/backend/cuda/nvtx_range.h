// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace strata::cuda {

// A named range, in the domain "strata", around what the host does while it lives: Nsight Systems
// and Nsight Compute show it beside the kernels. Without such a tool it costs nothing worth naming.
class NvtxRange {
public:
    explicit NvtxRange(const std::string& name);
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;
    ~NvtxRange();
};

}  // namespace strata::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace strata::cuda {

// A named range, in the domain "strata", around the host's work during its lifetime: Nsight Systems
// and Nsight Compute show it along with the kernels. Without such a tool its cost is negligible.
class NvtxRange {
public:
    explicit NvtxRange(const std::string& name);
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;
    ~NvtxRange();
};

}  // namespace strata::cuda

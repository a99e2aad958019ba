// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace strata::cuda {

// Whether the loaded CUPTI works with a program that was built with another version.
struct CuptiCompatibility {
    std::string refusal = {};  // why it does not; empty if it does
    std::string warning = {};  // what may go wrong; empty if nothing is known
};

// Both are values of CUPTI_API_VERSION. Until CUDA 12.9 it is a serial number (22: 12.4, 24: 12.6,
// 26: 12.8, 27 and 28: 12.9); from 13.0 on it is xxyyzz, 130001 for the first update of CUDA 13.0
// (cupti_version.h). Records only grow within a major version, and every call that strata makes has
// been there since the minor version that it was built with. So older minor versions and other
// major versions are refused, but updates are not.
CuptiCompatibility compatibility_of(std::uint32_t running, std::uint32_t built_with);

// "13.0 update 1", "12.6"
std::string cupti_version_text(std::uint32_t version);

}  // namespace strata::cuda

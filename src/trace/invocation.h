// SPDX-License-Identifier: MIT
#pragma once

#include "trace/span.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace strata {

// The launch index of each kernel among those with its full name on its device, from 1, in the
// order of their starts; nothing for copies, fills, and kernels without a plausible start. With
// device, batch and full name it is the key by which Dong et al. (ICPE 2018) identify a kernel in
// another run of the same iteration.
std::vector<std::optional<std::uint32_t>> invocations_of(std::span<const Span> spans);

}  // namespace strata

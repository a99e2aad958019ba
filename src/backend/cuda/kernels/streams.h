// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/kernel.h"

#include <array>
#include <string_view>

namespace strata::cuda {

// Ways of going through memory of f32, for what they reach and not for what they compute:
//   read   the sum of a         write  a = 0
//   copy   b = a                triad  c = a + 3 b     (McCalpin 1995)
enum class StreamPattern { read, write, copy, triad };
inline constexpr std::array<std::string_view, 4> names_of(StreamPattern) {
    return {"read", "write", "copy", "triad"};
}

// The arrays that a pattern reads or writes: each moves its bytes once in a pass.
constexpr int arrays_of(StreamPattern pattern) {
    return pattern == StreamPattern::triad ? 3 : pattern == StreamPattern::copy ? 2 : 1;
}

// Goes through arrays of so many elements, `passes` times in one launch, 16 bytes at a time, four
// loads of each thread on their way at once and past the L1 caches. Addresses: a, b, c as the
// pattern has them; a read has a second that is never written. Requires: elements a multiple of 16.
Kernel stream(StreamPattern pattern, std::int64_t elements, std::int64_t passes);

}  // namespace strata::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/kernel.h"

#include <array>
#include <string_view>

namespace strata::cuda {

// Access patterns over f32 memory, run for their bandwidth and not for their results:
//   read   the sum of a         write  a = 0
//   copy   b = a                triad  c = a + 3 b     (McCalpin 1995)
enum class StreamPattern { read, write, copy, triad };
inline constexpr std::array<std::string_view, 4> names_of(StreamPattern) {
    return {"read", "write", "copy", "triad"};
}

// The number of arrays that a pattern reads or writes; each moves its bytes once per pass.
constexpr int arrays_of(StreamPattern pattern) {
    return pattern == StreamPattern::triad ? 3 : pattern == StreamPattern::copy ? 2 : 1;
}

// Goes through arrays of `elements` floats, `passes` times in one launch: 16 bytes at a time, four
// loads in flight per thread, bypassing the L1 cache. Addresses: a, b, c as the pattern needs them;
// a read has a second address that is never written. Requires: elements a multiple of 16.
Kernel stream(StreamPattern pattern, std::int64_t elements, std::int64_t passes);

}  // namespace strata::cuda

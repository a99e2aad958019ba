// SPDX-License-Identifier: MIT
#pragma once

#include "base/random.h"

#include <cmath>
#include <cstdint>

namespace strata {

// Which elements a dropout keeps: a function of only its seed and the element's index, the same on
// every backend. An element is dropped if RandomStream::uniform is below the probability. The
// comparison uses the integer behind it, so that a loop over elements uses integers only.
class DropoutChoice {
public:
    // Requires: a probability of 0 to 1.
    DropoutChoice(std::uint64_t seed, double probability)
        : draws_(seed, dropout_stream),
          threshold_(static_cast<std::uint64_t>(std::ceil(probability * 0x1p53))) {}

    constexpr bool keeps(std::uint64_t index) const {
        return (draws_.bits(index) >> 11) >= threshold_;
    }

private:
    static constexpr std::uint64_t dropout_stream = 0x64726f706f7574;  // the letters of "dropout"

    RandomStream draws_;
    std::uint64_t threshold_;
};

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "base/random.h"
#include "op/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace strata {

// `value` converted to this type, held as a float: integers are truncated towards zero and clamped
// to their range (NaN becomes 0), booleans are 0 or 1, f16 and bf16 are rounded to nearest, ties to
// even. f64 is no more precise than the float that holds it.
float cast_value(float value, DataType dtype);

// The position that an index, held as a float, means along an axis of `extent` elements; a negative
// index counts from the end. An index out of range or NaN is clamped to the nearest position, so
// that drawn or computed indices never read out of bounds. Requires: extent > 0.
inline std::int64_t place_of_index(float index, std::int64_t extent) {
    const auto room = static_cast<double>(extent);
    const double wanted = index < 0 ? static_cast<double>(index) + room : index;
    // Written so that NaN fails both comparisons.
    const double inside = wanted > 0 ? std::min(wanted, room - 1) : 0;
    return static_cast<std::int64_t>(inside);
}

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

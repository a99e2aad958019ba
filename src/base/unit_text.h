// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// "900 GB/s" in the unit "B/s", "1530MHz" in "Hz", "6 MiB" in "B", "80" in "": a positive number of
// that unit, whose prefix is one of n, u, m, k (or K), M, G, T, P, or Ki, Mi, Gi, Ti, Pi. Nothing
// for other text or other units.
std::optional<double> parse_with_unit(std::string_view text, std::string_view unit);

// "900 GB/s", "1.53 GHz": at most three digits, with the prefix that leaves one to three of them
// before the point.
std::string text_with_unit(double value, std::string_view unit);

// "8GB", "1.5 GiB", "512M" or "1000000": a positive number of bytes, in powers of 1000, or of 1024
// if the unit has an i. Nothing for other text.
std::optional<Bytes> parse_byte_size(std::string_view text);

// "8.72 MB", "8.00 MB": three digits, in powers of 1000.
std::string byte_size_text(Bytes bytes);

}  // namespace strata

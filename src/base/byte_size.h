// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// "8GB", "1.5 GiB", "512M" or "1000000": a positive number of bytes, in powers of 1000, or of 1024
// where the unit has an i. Nothing for other text.
std::optional<Bytes> parse_byte_size(std::string_view text);

// "8.72 MB": three digits, in powers of 1000.
std::string byte_size_text(Bytes bytes);

}  // namespace strata

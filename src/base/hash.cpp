// SPDX-License-Identifier: MIT
#include "base/hash.h"

namespace strata {

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before) {
    constexpr std::uint64_t prime = 0x100000001b3;
    for (const std::byte byte : bytes) {
        before = (before ^ std::to_integer<std::uint64_t>(byte)) * prime;
    }
    return before;
}

std::uint64_t hash_of(std::string_view text, std::uint64_t before) {
    return hash_of(std::as_bytes(std::span(text)), before);
}

}  // namespace strata

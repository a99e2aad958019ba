// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace strata {

// The hash of no bytes, from which every other hash starts.
inline constexpr std::uint64_t empty_hash = 0xcbf29ce484222325;

// 64-bit FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv). It is the same on every machine and in
// every version, so stored identities and random seeds may rest on it; it resists accidents, not
// attackers. `before` is the hash of what came earlier: hash_of(b, hash_of(a)) is the hash of a
// followed by b.
std::uint64_t hash_of(std::string_view text, std::uint64_t before = empty_hash);
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before = empty_hash);

}  // namespace strata

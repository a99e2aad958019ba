// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace strata {

// The layout that LDTILECFG reads (Intel SDM, palette 1): eight tiles, by default of 16 rows by 64
// bytes.
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> bytes_per_row{64, 64, 64, 64, 64, 64, 64, 64};
    std::array<std::uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);

// Requests permission from the operating system to use AMX tiles (arch_prctl, Linux 5.16). Returns
// whether it was granted.
bool allow_tiles();

#if defined(__x86_64__)
// Configures this thread's tiles, and clears them. (The operand of gcc's intrinsic is shorter than
// what the instruction reads.)
inline void configure_tiles(const TileConfiguration& configuration) {
    asm volatile("ldtilecfg %0" : : "m"(configuration));
}
#endif

}  // namespace strata

// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "measure/kernels/kernels.h"
#include "measure/kernels/tiles.h"

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace strata {
namespace {

// Four products of 16 x 16 results each, from two left and two right tiles, as in a matrix product:
// each has a latency of 52 cycles, and one starts every 16.
[[gnu::target("amx-tile,amx-bf16")]] void tiles_bf16(std::size_t rounds) {
    alignas(64) std::array<std::uint16_t, 16 * 32> ones;
    ones.fill(0x3F80);
    keep(ones);  // the compiler does not know what the intrinsics below read
    configure_tiles({});
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_loadd(4, ones.data(), 64);
    _tile_loadd(5, ones.data(), 64);
    _tile_loadd(6, ones.data(), 64);
    _tile_loadd(7, ones.data(), 64);
    for (std::size_t round = 0; round < rounds; ++round) {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_release();
}

[[gnu::target("amx-tile,amx-int8")]] void tiles_s8(std::size_t rounds) {
    alignas(64) std::array<std::uint8_t, 16 * 64> ones;
    ones.fill(1);
    keep(ones);  // the compiler does not know what the intrinsics below read
    configure_tiles({});
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_loadd(4, ones.data(), 64);
    _tile_loadd(5, ones.data(), 64);
    _tile_loadd(6, ones.data(), 64);
    _tile_loadd(7, ones.data(), 64);
    for (std::size_t round = 0; round < rounds; ++round) {
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    _tile_release();
}

}  // namespace

bool allow_tiles() {
    constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
    return ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

std::vector<ComputeKernel> compute_kernels_amx() {
    constexpr double bf16 = 4 * 2.0 * 16 * 16 * 32;
    constexpr double s8 = 4 * 2.0 * 16 * 16 * 64;
    return {{"bf16", "AMX TDPBF16PS, 4 result tiles", "amx_tile amx_bf16", bf16, tiles_bf16},
            {"s8", "AMX TDPBSSD, 4 result tiles", "amx_tile amx_int8", s8, tiles_s8}};
}

}  // namespace strata

#else

#include "measure/kernels/tiles.h"

namespace strata {

bool allow_tiles() {
    return false;
}

}  // namespace strata

#endif

// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/narrow.h"

#include "backend/cpu/kernels/isa.h"

#include <bit>
#include <cstring>

namespace strata::cpu {

namespace {

STRATA_EACH_ISA void widen(const std::uint16_t* from, std::size_t count, float* to) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16);
    }
}

STRATA_EACH_ISA void narrow(const float* from, std::size_t count, std::uint16_t* to) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(from[i]);
        const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
        const std::uint32_t not_a_number = (bits >> 16) | 0x40U;
        to[i] =
            static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? not_a_number : rounded);
    }
}

}  // namespace

void load(const Elements& from, std::size_t first, std::size_t count, float* to) {
    if (from.narrow) {
        widen(static_cast<const std::uint16_t*>(from.data) + first, count, to);
    } else {
        std::memcpy(to, static_cast<const float*>(from.data) + first, count * sizeof(float));
    }
}

void store(const float* from, std::size_t count, const Elements& to, std::size_t first) {
    if (to.narrow) {
        narrow(from, count, static_cast<std::uint16_t*>(to.data) + first);
    } else {
        std::memcpy(static_cast<float*>(to.data) + first, from, count * sizeof(float));
    }
}

}  // namespace strata::cpu

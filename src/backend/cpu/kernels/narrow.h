// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::cpu {

// Elements of a tensor in f32 or bf16, for our loops, which compute in f32.
struct Elements {
    void* data = nullptr;
    bool narrow = false;  // bf16
};

// Converts `count` elements starting at `first` to f32 or from it (to nearest, ties to even).
void load(const Elements& from, std::size_t first, std::size_t count, float* to);
void store(const float* from, std::size_t count, const Elements& to, std::size_t first);

}  // namespace strata::cpu

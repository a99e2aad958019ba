// SPDX-License-Identifier: MIT
#pragma once

namespace strata {

// Makes the compiler believe that a value is used, so that the loop that computes it is kept.
template <class T>
inline void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace strata

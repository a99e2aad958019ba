// SPDX-License-Identifier: MIT
#pragma once

namespace strata {

// Makes the compiler believe that a value is used, so that the loop behind it stays.
template <class T>
inline void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace strata

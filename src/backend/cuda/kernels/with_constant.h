// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

namespace strata::cuda {

// Calls `make` with the enumerator as a std::integral_constant, so that each has its own kernel
// without branches. Requires: enumerators numbered from 0 that names_of(Enum) lists.
template <class Enum, int number = 0, class Make>
auto with_constant(Enum wanted, const Make& make) {
    constexpr auto here = static_cast<Enum>(number);
    if constexpr (number + 1 < static_cast<int>(names_of(Enum()).size())) {
        if (wanted != here) {
            return with_constant<Enum, number + 1>(wanted, make);
        }
    }
    return make(std::integral_constant<Enum, here>());
}

}  // namespace strata::cuda

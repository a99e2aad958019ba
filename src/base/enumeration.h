// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace strata {

// An enumeration whose values have names: names_of(E) gives them in the order of the values.
template <class E>
concept NamedEnumeration = std::is_enum_v<E> && requires(E value) {
    { names_of(value)[0] } -> std::convertible_to<std::string_view>;
};

template <NamedEnumeration E>
constexpr std::string_view name_of(E value) {
    constexpr auto names = names_of(E{});
    return names[static_cast<std::size_t>(value)];
}

// The value of that name; nothing if no value has it.
template <NamedEnumeration E>
constexpr std::optional<E> value_named(std::string_view name) {
    constexpr auto names = names_of(E{});
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) {
            return static_cast<E>(i);
        }
    }
    return {};
}

}  // namespace strata

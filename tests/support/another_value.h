// SPDX-License-Identifier: MIT
#pragma once

#include "record/options.h"

#include <algorithm>
#include <string>

namespace strata::testing {

// A value of the option that is not its default.
inline std::string another_value(const Option& option) {
    const std::string standard = option.text(Settings{});
    if (option.choices == nullptr) {
        return option.placeholder == "GLOB"         ? "conv*"
               : option.placeholder == "SHARE"      ? "0.5"
               : option.placeholder == "CHOICE"     ? "conv* forward=gemm"
               : option.placeholder == "SIZE"       ? "7B"
               : option.placeholder == "NAME=VALUE" ? "inter-op=2+onednn=off"
                                                    : "7";
    }
    const auto choices = option.choices();
    return std::string(
        *std::ranges::find_if(choices, [&](const auto& choice) { return choice != standard; }));
}

inline Settings with(const Option& option, const std::string& text) {
    Settings settings;
    set_option(settings, option, text);
    return settings;
}

}  // namespace strata::testing

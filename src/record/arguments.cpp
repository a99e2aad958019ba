// SPDX-License-Identifier: MIT
#include "record/arguments.h"

#include <fmt/format.h>

namespace strata {

std::vector<std::string> arguments_of(const Settings& settings, const Option& option) {
    const std::string flag(option.flag);
    if (option.value == OptionValue::none) {
        return is_default(settings, option) ? std::vector<std::string>() : std::vector{flag};
    }
    std::string text = option.text(settings);
    return text.empty() ? std::vector<std::string>() : std::vector{flag, std::move(text)};
}

std::vector<std::string> arguments_of(const std::map<std::string, std::int64_t>& dims,
                                      const std::map<std::string, std::string>& variables) {
    std::vector<std::string> words;
    for (const auto& [name, value] : dims) {
        append(words, {"--dim", fmt::format("{}={}", name, value)});
    }
    for (const auto& [name, value] : variables) {
        append(words, {"--set", name + "=" + value});
    }
    return words;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

using Letters = std::map<char, std::int64_t>;

[[noreturn]] void refuse_short(std::string_view text, const std::string& why) {
    throw Error(fmt::format("\"{}\": {}", printable(text), why));
}

// Parses "n32c96" into letters and numbers; only the letters in `known` may occur, each once.
Letters letters_of(std::string_view text, std::string_view known) {
    Letters letters;
    for (std::string_view rest = text; !rest.empty();) {
        const char letter = rest[0];
        const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
        const auto number = parse_integer(rest.substr(1, end - 1));
        if (known.find(letter) == std::string_view::npos || !number) {
            refuse_short(text, fmt::format("\"{}\" is not one of the letters {} with a number",
                                           printable(rest.substr(0, end)), known));
        }
        if (!letters.emplace(letter, *number).second) {
            refuse_short(text, fmt::format("{} is given twice; remove one", letter));
        }
        rest.remove_prefix(end);
    }
    return letters;
}

std::int64_t needed(std::string_view text, const Letters& letters, char letter) {
    const auto found = letters.find(letter);
    if (found == letters.end()) {
        refuse_short(text, fmt::format("{} is missing; write it with its number", letter));
    }
    return found->second;
}

std::int64_t value_or(const Letters& letters, char letter, std::int64_t absent) {
    const auto found = letters.find(letter);
    return found == letters.end() ? absent : found->second;
}

// The same value for both axes, or nothing if that is the default.
Dims both(std::int64_t value, std::int64_t absent) {
    return value == absent ? Dims{} : Dims{value, value};
}

Problem parse_convolution(std::string_view text) {
    const Letters letters = letters_of(text, "nchwkrspudg");
    const std::int64_t height = needed(text, letters, 'h'), rows = needed(text, letters, 'r');
    const Dims pad = both(value_or(letters, 'p', 0), 0);
    const Dims x = {value_or(letters, 'n', 1), needed(text, letters, 'c'), height,
                    value_or(letters, 'w', height)};
    return {Convolution{.out_channels = needed(text, letters, 'k'),
                        .kernel = {rows, value_or(letters, 's', rows)},
                        .stride = both(value_or(letters, 'u', 1), 1),
                        .dilation = both(value_or(letters, 'd', 1), 1),
                        .pad_begin = pad,
                        .pad_end = pad,
                        .groups = value_or(letters, 'g', 1),
                        .bias = false},
            {{{x}}}};
}

Problem parse_fully_connected(std::string_view text) {
    const Letters letters = letters_of(text, "nck");
    const Dims x = {value_or(letters, 'n', 1), needed(text, letters, 'c')};
    return {FullyConnected{.out_features = needed(text, letters, 'k'), .bias = false}, {{{x}}}};
}

}  // namespace

bool is_short_problem(std::string_view text) {
    return text.starts_with("conv:") || text.starts_with("fc:");
}

Problem parse_short_problem(std::string_view text) {
    const std::string_view letters = text.substr(text.find(':') + 1);
    return text.starts_with("conv:") ? parse_convolution(letters) : parse_fully_connected(letters);
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "record/algorithm.h"

#include "base/enumeration.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::string_view no_choices = "none";

std::string text_of(const AlgorithmChoice& choice) {
    const std::string_view way = choice.implementation.empty()
                                     ? name_of(choice.algorithm)
                                     : std::string_view(choice.implementation);
    const std::string text = fmt::format("{} {}={}", choice.problem, name_of(choice.pass), way);
    return choice.source == ChoiceSource::user
               ? text
               : fmt::format("{} ({})", text, name_of(choice.source));
}

// Removes the source from the end of the text and returns it; the user's if there is none.
std::optional<ChoiceSource> take_source(std::string_view& text) {
    const auto open = text.rfind(" (");
    if (!text.ends_with(')') || open == text.npos) {
        return ChoiceSource::user;
    }
    const auto source = value_named<ChoiceSource>(text.substr(open + 2, text.size() - open - 3));
    text = text.substr(0, open);
    return source;
}

std::optional<Pass> pass_named(std::string_view name) {
    std::string spelt(name);
    std::ranges::replace(spelt, '-', '_');
    const auto found = std::ranges::find_if(
        all_passes, [&](Pass pass) { return pass != Pass::update && name_of(pass) == spelt; });
    return found == all_passes.end() ? std::nullopt : std::optional(*found);
}

// A known name is an algorithm; any other text with a colon is an implementation of the library.
bool set_way(AlgorithmChoice& choice, std::string_view text) {
    if (const auto algorithm = pass_algorithm_named(text)) {
        choice.algorithm = *algorithm;
        return true;
    }
    choice.implementation = text;
    return text.find(':') != text.npos && text.find(' ') == text.npos;
}

std::optional<AlgorithmChoice> parse_choice(std::string_view text) {
    text = trim(text);
    AlgorithmChoice choice;
    const auto source = take_source(text);
    const auto blank = text.rfind(' ');
    const auto equals = blank == text.npos ? text.npos : text.find('=', blank);
    if (!source || equals == text.npos) {
        return {};
    }
    const auto pass = pass_named(text.substr(blank + 1, equals - blank - 1));
    choice.problem = trim(text.substr(0, blank));
    choice.source = *source;
    if (!pass || choice.problem.empty() || !set_way(choice, text.substr(equals + 1))) {
        return {};
    }
    choice.pass = *pass;
    return choice;
}

}  // namespace

std::string text_of(const std::vector<AlgorithmChoice>& choices) {
    std::vector<std::string> parts;
    for (const AlgorithmChoice& choice : choices) {
        parts.push_back(text_of(choice));
    }
    return parts.empty() ? std::string(no_choices) : join(parts, "+");
}

std::optional<std::vector<AlgorithmChoice>> parse_choices(std::string_view text) {
    std::vector<AlgorithmChoice> choices;
    if (text == no_choices) {
        return choices;
    }
    for (const std::string_view part : split(text, '+')) {
        auto choice = parse_choice(part);
        if (!choice) {
            return {};
        }
        choices.push_back(std::move(*choice));
    }
    return choices;
}

}  // namespace strata

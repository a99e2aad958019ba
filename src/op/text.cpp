// SPDX-License-Identifier: MIT
#include "op/text.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace strata {

namespace {

// A character as it stands between quotes.
std::string escaped(char character) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F) {
        return fmt::format("\\x{:02x}", byte);
    }
    return character == '"' || character == '\\' ? std::string{'\\', character}
                                                 : std::string{character};
}

// Takes the character that follows a backslash off the text.
std::optional<char> unescape(std::string_view& text) {
    if (text.starts_with('"') || text.starts_with('\\')) {
        const char character = text[0];
        text.remove_prefix(1);
        return character;
    }
    unsigned char byte = 0;
    if (text.size() < 3 || text[0] != 'x' ||
        std::from_chars(text.data() + 1, text.data() + 3, byte, 16).ptr != text.data() + 3) {
        return std::nullopt;
    }
    text.remove_prefix(3);
    return static_cast<char>(byte);
}

// End of the token that the text starts with.
std::size_t token_end(std::string_view text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && (text[i] == ' ' || text[i] == '\t')) {
            return i;
        }
    }
    return text.size();
}

}  // namespace

std::string attribute_text(std::int64_t value) {
    return fmt::format("{}", value);
}

std::string attribute_text(double value) {
    return fmt::format("{}", value);
}

std::string attribute_text(bool value) {
    return value ? "true" : "false";
}

std::string attribute_text(const Dims& value) {
    return to_text(value);
}

std::string attribute_text(const std::string& value) {
    std::string quoted = "\"";
    for (const char character : value) {
        quoted += escaped(character);
    }
    return quoted + '"';
}

bool read_attribute(std::string_view text, std::int64_t& value) {
    const auto number = parse_integer(text);
    value = number.value_or(value);
    return number.has_value();
}

bool read_attribute(std::string_view text, double& value) {
    const auto number = parse_number(text);
    const bool usable = number && !std::isnan(*number);
    value = usable ? *number : value;
    return usable;
}

bool read_attribute(std::string_view text, bool& value) {
    if (text != "true" && text != "false") {
        return false;
    }
    value = text == "true";
    return true;
}

bool read_attribute(std::string_view text, Dims& value) {
    try {
        value = parse_dims(text);
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool read_attribute(std::string_view text, std::string& value) {
    if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) {
        return false;
    }
    text = text.substr(1, text.size() - 2);
    std::string plain;
    while (!text.empty()) {
        const char character = text[0];
        text.remove_prefix(1);
        const auto taken = character == '\\' ? unescape(text) : std::optional(character);
        if (!taken || character == '"') {
            return false;
        }
        plain += *taken;
    }
    value = plain;
    return true;
}

std::vector<std::string_view> tokens_of(std::string_view text) {
    std::vector<std::string_view> tokens;
    for (text = trim(text); !text.empty(); text = trim(text)) {
        const std::size_t end = token_end(text);
        tokens.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return tokens;
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "op/text.h"

#include "base/error.h"
#include "base/text.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace strata {

namespace {

// A character as written between quotes.
std::string escaped(char character) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F) {
        return fmt::format("\\x{:02x}", byte);
    }
    return character == '"' || character == '\\' ? std::string{'\\', character}
                                                 : std::string{character};
}

// Removes from the text the character that follows a backslash.
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

// The end of the text's first token.
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

namespace {

constexpr std::size_t operator_count = std::variant_size_v<OneOperator>;

// Calls `visit` with each operator's default value, in the list's order.
template <class Visitor>
void for_each_operator(Visitor&& visit) {
    const auto all = [&]<std::size_t... index>(std::index_sequence<index...>) {
        (visit(std::variant_alternative_t<index, OneOperator>{}), ...);
    };
    all(std::make_index_sequence<operator_count>{});
}

template <class T>
std::vector<Attribute> all_attributes(const T& op) {
    std::vector<Attribute> attributes;
    T::fields(op, [&](std::string_view name, const auto& value) {
        attributes.push_back({std::string(name), attribute_text(value)});
    });
    return attributes;
}

// "did you mean "kernel"?" or the list of all choices.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    if (const auto meant = nearest(word, known)) {
        return fmt::format("did you mean \"{}\"?", *meant);
    }
    return known.empty() ? "it has none" : "use one of " + join(known, ", ");
}

template <class T>
std::vector<std::string> attribute_names(const T& op) {
    std::vector<std::string> names;
    for (const Attribute& attribute : all_attributes(op)) {
        names.push_back(attribute.name);
    }
    return names;
}

// Sets one attribute from "name=value".
template <class T>
void set_attribute(T& op, std::string_view name, std::string_view value) {
    bool found = false;
    T::fields(op, [&](std::string_view known, auto& attribute) {
        if (known != name) {
            return;
        }
        found = true;
        if (!read_attribute(value, attribute)) {
            throw Error(fmt::format("{}: \"{}\" is not a value for {}; write it like {}", T::type,
                                    printable(value), name, attribute_text(attribute)));
        }
    });
    if (!found) {
        throw Error(fmt::format("{}: it has no attribute \"{}\"; {}", T::type, printable(name),
                                suggestion(name, attribute_names(op))));
    }
}

template <class T>
void set_attributes(T& op, std::span<const std::string_view> tokens) {
    std::vector<std::string_view> seen;
    for (const std::string_view token : tokens) {
        const std::size_t equals = token.find('=');
        const std::string_view name = token.substr(0, equals);
        if (equals == std::string_view::npos) {
            throw Error(fmt::format("{}: \"{}\" is not an attribute; write name=value", T::type,
                                    printable(token)));
        }
        if (std::ranges::find(seen, name) != seen.end()) {
            throw Error(fmt::format("{}: attribute {} is given twice; remove one", T::type,
                                    printable(name)));
        }
        set_attribute(op, name, token.substr(equals + 1));
        seen.push_back(name);
    }
}

Op default_op(std::string_view name) {
    std::optional<Op> found;
    for_each_operator([&](const auto& op) {
        if (op.type == name) {
            found = op;
        }
    });
    if (!found) {
        throw Error(fmt::format("there is no operator \"{}\"; {}", printable(name),
                                suggestion(name, operator_names())));
    }
    return *found;
}

}  // namespace

std::vector<std::string> operator_names() {
    std::vector<std::string> names;
    for_each_operator([&](const auto& op) { names.emplace_back(op.type); });
    return names;
}

std::vector<Attribute> attributes_of(const Op& op) {
    return std::visit(
        []<class T>(const T& one) {
            std::vector<Attribute> given = all_attributes(one);
            const std::vector<Attribute> defaults = all_attributes(T{});
            std::erase_if(given, [&](const Attribute& attribute) {
                return std::ranges::find(defaults, attribute) != defaults.end();
            });
            return given;
        },
        op);
}

std::string to_text(const Op& op) {
    std::string text(type_of(op));
    for (const auto& [name, value] : attributes_of(op)) {
        text += fmt::format(" {}={}", name, value);
    }
    return text;
}

Op parse_op(std::string_view text) {
    const auto tokens = tokens_of(text);
    if (tokens.empty()) {
        throw Error(
            "an operator is missing; write its name and attributes, as in \"activation "
            "kind=relu\"");
    }
    Op op = default_op(tokens[0]);
    std::visit([&](auto& one) { set_attributes(one, std::span(tokens).subspan(1)); }, op);
    return op;
}

}  // namespace strata

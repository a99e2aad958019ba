// SPDX-License-Identifier: MIT
#include "op/problem.h"

#include "base/error.h"
#include "base/text.h"
#include "op/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace strata {

namespace {

constexpr std::size_t operator_count = std::variant_size_v<Op>;

// Calls `visit` with each operator's default value, in the list's order.
template <class Visitor>
void for_each_operator(Visitor&& visit) {
    const auto all = [&]<std::size_t... index>(std::index_sequence<index...>) {
        (visit(std::variant_alternative_t<index, Op>{}), ...);
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

// "did you mean "kernel"?" or the whole choice.
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

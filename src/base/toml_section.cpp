// SPDX-License-Identifier: MIT
#include "base/toml_section.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

toml::table parse_toml(std::string_view text, std::string_view origin) {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        throw Error(fmt::format("{}:{}:{}: invalid TOML: {}; correct it", printable(origin),
                                begin.line, begin.column, printable(error.description())));
    }
}

std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : printable(text, 1000)) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + '"';
}

void TomlSection::refuse(std::string_view key, std::string_view fix) const {
    throw Error(fmt::format("{}: {}", printable(place(key)), fix));
}

std::string TomlSection::place(std::string_view key) const {
    return fmt::format("{}: {}", place_, key);
}

const toml::node* TomlSection::find(std::string_view key) const {
    const toml::node* node = own_.get(key);
    return node != nullptr || fallback_ == nullptr ? node : fallback_->find(key);
}

void TomlSection::expect_only(std::span<const std::string_view> known) const {
    for (const auto& [key, value] : own_) {
        if (std::ranges::find(known, key.str()) == known.end()) {
            refuse(key.str(), "unknown key; remove or correct it");
        }
    }
}

std::optional<std::string> TomlSection::text(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) {
        return {};
    }
    const auto value = node->value_exact<std::string>();
    if (!value) {
        refuse(key, "give it as a text");
    }
    return value;
}

std::string TomlSection::required_text(std::string_view key) const {
    const auto value = text(key);
    if (!value) {
        refuse(key, "missing; give it");
    }
    return *value;
}

std::optional<double> TomlSection::number(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) {
        return {};
    }
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !std::isfinite(*value)) {
        refuse(key, "give it as a number");
    }
    return value;
}

double TomlSection::required_number(std::string_view key) const {
    const auto value = number(key);
    if (!value) {
        refuse(key, "missing; give it");
    }
    return *value;
}

std::optional<std::int64_t> TomlSection::count(std::string_view key, std::int64_t minimum) const {
    const toml::node* node = find(key);
    if (node == nullptr) {
        return {};
    }
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < minimum) {
        refuse(key, minimum == 1 ? "give a positive whole number"
                                 : fmt::format("give a whole number of at least {}", minimum));
    }
    return value;
}

std::optional<bool> TomlSection::truth(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) {
        return {};
    }
    const auto value = node->value_exact<bool>();
    if (!value) {
        refuse(key, "give it as true or false");
    }
    return value;
}

std::vector<std::string> TomlSection::texts(std::string_view key) const {
    std::vector<std::string> found;
    const toml::node* node = own_.get(key);
    if (node == nullptr) {
        return found;
    }
    if (!node->is_array()) {
        refuse(key, "give it as a list of texts");
    }
    for (const auto& element : *node->as_array()) {
        const auto value = element.value_exact<std::string>();
        if (!value) {
            refuse(key, "give it as a list of texts");
        }
        found.push_back(*value);
    }
    return found;
}

const toml::table* TomlSection::table(std::string_view key) const {
    const toml::node* node = own_.get(key);
    if (node != nullptr && !node->is_table()) {
        refuse(key, "give it as a table, { ... }");
    }
    return node == nullptr ? nullptr : node->as_table();
}

std::vector<const toml::table*> TomlSection::tables(std::string_view key) const {
    std::vector<const toml::table*> found;
    const toml::node* node = own_.get(key);
    if (node == nullptr || !node->is_array()) {
        refuse(key, "give it as a list of tables, [{ ... }, ...]");
    }
    for (const auto& element : *node->as_array()) {
        if (!element.is_table()) {
            refuse(key, "give it as a list of tables, [{ ... }, ...]");
        }
        found.push_back(element.as_table());
    }
    return found;
}

std::vector<const toml::table*> TomlSection::tables_if_any(std::string_view key) const {
    return own_.contains(key) ? tables(key) : std::vector<const toml::table*>();
}

}  // namespace strata

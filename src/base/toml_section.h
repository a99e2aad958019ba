// SPDX-License-Identifier: MIT
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Throws Error, naming file, line and column, if the text is not TOML.
toml::table parse_toml(std::string_view text, std::string_view origin);

// A text as a TOML basic string, in quotes.
std::string toml_string(std::string_view text);

// A table of a TOML file, with a fallback table for absent keys and its place for messages. Every
// getter throws Error, naming the place, if a value has the wrong type.
class TomlSection {
public:
    // An Error that names the place and the fix.
    [[noreturn]] void refuse(std::string_view key, std::string_view fix) const;

    TomlSection(const toml::table& own, std::string place) : own_(own), place_(std::move(place)) {}
    TomlSection(const toml::table& own, std::string place, const TomlSection& fallback)
        : own_(own), fallback_(&fallback), place_(std::move(place)) {}

    // Refuses its own keys (not the fallback's) that are not among these.
    void expect_only(std::span<const std::string_view> known) const;

    std::optional<std::string> text(std::string_view key) const;
    std::string required_text(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    double required_number(std::string_view key) const;
    std::optional<std::int64_t> count(std::string_view key, std::int64_t minimum = 1) const;
    std::optional<bool> truth(std::string_view key) const;
    // Ignores the fallback.
    std::vector<std::string> texts(std::string_view key) const;
    const toml::table* table(std::string_view key) const;
    std::vector<const toml::table*> tables(std::string_view key) const;
    std::vector<const toml::table*> tables_if_any(std::string_view key) const;  // nullptr: absent

    std::string place(std::string_view key) const;

private:
    const toml::node* find(std::string_view key) const;

    const toml::table& own_;
    const TomlSection* fallback_ = nullptr;
    std::string place_;
};

}  // namespace strata

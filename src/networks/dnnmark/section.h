// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// "key=value" and its line.
struct DnnMarkSetting {
    std::string key;
    std::string value;
    std::size_t line = 0;
};

// A "[Section]" and its settings. Readers take the keys they know, in any order; `finish` refuses
// the remaining ones. Every function throws Error with file, line and fix.
class DnnMarkSection {
public:
    DnnMarkSection(std::string name, std::string origin, std::size_t line)
        : name_(std::move(name)), origin_(std::move(origin)), line_(line) {}

    void add(DnnMarkSetting setting);

    const std::string& name() const { return name_; }
    bool has(std::string_view key) const;

    std::string text(std::string_view key, std::string_view otherwise);
    std::int64_t integer(std::string_view key, std::int64_t otherwise);
    double number(std::string_view key, double otherwise);

    // The index of the value among the names; the first is the default.
    std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names);

    // Height and width: "key" sets both, "key_h" and "key_w" set one; later lines win.
    std::array<std::int64_t, 2> pair(std::string_view key, std::int64_t otherwise);

    // Takes keys that a graph cannot express.
    void ignore(std::initializer_list<std::string_view> keys);

    // Refuses keys that have not been taken.
    void finish() const;

    // Throws Error that names the key's line, or the section's if the key is absent.
    [[noreturn]] void refuse(std::string_view key, const std::string& sentence) const;

private:
    const DnnMarkSetting* find(std::string_view key);
    std::int64_t integer_of(const DnnMarkSetting& setting) const;
    [[noreturn]] void refuse_value(const DnnMarkSetting& setting, std::string_view wanted) const;

    std::string name_;
    std::string origin_;
    std::size_t line_;
    std::vector<DnnMarkSetting> settings_;
    std::vector<std::string> taken_;
};

// The sections of a file, with its variables replaced. Also throws Error if a given variable does
// not occur in the file.
std::vector<DnnMarkSection> read_dnnmark_sections(
    std::string_view text, std::string_view origin,
    const std::map<std::string, std::string>& variables);

}  // namespace strata

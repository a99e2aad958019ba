// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// Converts attributes to and from text: one rule per type of attribute, none per operator. Strings
// are quoted with \\, \" and \xHH, so that any text stays one token on one line.

std::string attribute_text(std::int64_t value);
std::string attribute_text(double value);  // shortest that reads back to the same value
std::string attribute_text(bool value);
std::string attribute_text(const Dims& value);
std::string attribute_text(const std::string& value);

// Each returns whether the text is a value of the type and sets `value` only then.
bool read_attribute(std::string_view text, std::int64_t& value);
bool read_attribute(std::string_view text, double& value);
bool read_attribute(std::string_view text, bool& value);
bool read_attribute(std::string_view text, Dims& value);
bool read_attribute(std::string_view text, std::string& value);

template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string attribute_text(Enumeration value) {
    return std::string(names_of(value).at(static_cast<std::size_t>(value)));
}

template <class Enumeration>
requires std::is_enum_v<Enumeration>
bool read_attribute(std::string_view text, Enumeration& value) {
    const auto names = names_of(value);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) {
            value = static_cast<Enumeration>(i);
            return true;
        }
    }
    return false;
}

// Parts separated by blanks; blanks inside quotes do not separate.
std::vector<std::string_view> tokens_of(std::string_view text);

}  // namespace strata

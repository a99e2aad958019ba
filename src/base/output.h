// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace strata {

// Writes all of it, however slowly; false, with its reason in errno, if that fails.
bool write_all(int descriptor, std::string_view bytes);

// Takes the place of standard streams that are closed: a file that is opened later would get their
// numbers, and what is printed. To be called before any file is opened.
void occupy_closed_streams();

// Writes results to standard output. Throws Error if they cannot be written whole.
void write_output(std::string_view text);

// Writes to standard error. What cannot be written there is lost, and changes nothing else.
void write_remark(std::string_view text);

template <class... Values>
void print_output(fmt::format_string<Values...> text, Values&&... values) {
    write_output(fmt::format(text, std::forward<Values>(values)...));
}

// A sentence on standard error, as the program's: "strata: the sentence".
template <class... Values>
void say(fmt::format_string<Values...> sentence, Values&&... values) {
    write_remark("strata: " + fmt::format(sentence, std::forward<Values>(values)...) + '\n');
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace strata {

// Writes everything, retrying as needed; on failure false, with the reason in errno.
bool write_all(int descriptor, std::string_view bytes);

// Opens placeholders for closed standard streams: otherwise a file opened later would get their
// descriptors, and with them the printed output. Call it before opening any file.
void occupy_closed_streams();

// Writes results to standard output. Throws Error if they cannot be written whole.
void write_output(std::string_view text);

// Writes to standard error. A failure to write is ignored.
void write_remark(std::string_view text);

template <class... Values>
void print_output(fmt::format_string<Values...> text, Values&&... values) {
    write_output(fmt::format(text, std::forward<Values>(values)...));
}

// Writes a sentence to standard error with the program's name: "strata: the sentence".
template <class... Values>
void say(fmt::format_string<Values...> sentence, Values&&... values) {
    write_remark("strata: " + fmt::format(sentence, std::forward<Values>(values)...) + '\n');
}

}  // namespace strata

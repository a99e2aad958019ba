// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// 16 hexadecimal digits that are equal for equal settings and, but for one chance in 2^64, for no
// others. They stay the same from version to version, so they may be stored.
std::string key_of(const Settings& settings);

// What key_of(settings) is the key of: this, with an empty network where its content is known, and
// the text of everything else. Who has thousands of runs puts that into words once.
std::string key_text(std::string_view backend, std::string_view network, std::int64_t batch);
std::string key_text_after_batch(const Settings& settings);

// The same of any text.
std::string key_of(std::string_view text);

}  // namespace strata

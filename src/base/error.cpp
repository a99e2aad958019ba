// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace strata {

void check(bool holds, std::string_view what, std::source_location where) {
    if (holds) {
        return;
    }
    std::fprintf(stderr, "strata: bug: %.*s (%s:%u)\n", static_cast<int>(what.size()), what.data(),
                 where.file_name(), where.line());
    std::abort();
}

}  // namespace strata

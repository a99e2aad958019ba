// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

#include <string>

namespace strata {

// The sentence that a call fails with; "no error" where it does not fail.
template <class Call>
std::string error_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace strata

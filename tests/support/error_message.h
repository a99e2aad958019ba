// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

#include <string>

namespace strata {

// The sentence with which a call fails; "no error" if it does not fail.
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

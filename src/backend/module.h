// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <memory>
#include <string>

namespace strata {

// A backend that needs a vendor's library is a shared module of its own, opened when it is asked
// for, so that the program starts and looks at results where the library is missing. The module
// libstrata_NAME.so exports one function:
//   extern "C" strata::Backend* strata_make_backend();
inline constexpr const char* module_entry = "strata_make_backend";

// Opens the module of that name and makes its backend. Looked for in $STRATA_BACKEND_PATH, beside
// the program, and in ../lib/strata from there. Throws Error with exit code machine_cannot, saying
// what the loader missed.
std::unique_ptr<Backend> open_backend_module(const std::string& name);

}  // namespace strata

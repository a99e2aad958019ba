// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/backend.h"

#include <cstdint>
#include <memory>
#include <string>

namespace strata {

// A backend that needs a vendor's library is a shared module of its own, opened when it is asked
// for, so that the program starts and looks at results where the library is missing. The module
// libstrata_NAME.so exports one function:
//   extern "C" strata::Backend* strata_make_backend();
// and tells with another by what headers it was built:
//   extern "C" std::uint64_t strata_module_interface();
inline constexpr const char* module_entry = "strata_make_backend";
inline constexpr const char* interface_entry = "strata_module_interface";

// A hash of every header that the program and its modules share (cmake/module_interface.cmake),
// fixed when each was built: a module left over from another build would else read one thing for
// another, or call one function for another.
std::uint64_t module_interface();

// Opens the module of that name and makes its backend. Looked for in $STRATA_BACKEND_PATH, beside
// the program, and in ../lib/strata from there. Throws Error with exit code machine_cannot, saying
// what the loader missed.
std::unique_ptr<Backend> open_backend_module(const std::string& name);

// A module whose library has a choice of algorithms also exports
//   extern "C" strata::AlgorithmSource* strata_make_algorithm_source(const char* description);
inline constexpr const char* algorithm_entry = "strata_make_algorithm_source";

// The algorithms of a device: that of the file `description`, or, where it is empty, the one that
// is there, on which they are also measured. Throws Error as above, or where the device is not
// there.
std::unique_ptr<AlgorithmSource> open_algorithm_source(const std::string& name,
                                                       const std::string& description);

}  // namespace strata

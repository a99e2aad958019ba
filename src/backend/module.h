// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/backend.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// A backend that needs a vendor's library is a separate shared module, opened on demand, so that
// the program starts and can show results without the library. The module libstrata_NAME.so exports
// one function:
//   extern "C" strata::Backend* strata_make_backend();
// and, for checking that it was built with the same headers:
//   extern "C" std::uint64_t strata_module_interface();
inline constexpr const char* module_entry = "strata_make_backend";
inline constexpr const char* interface_entry = "strata_module_interface";

// A hash of every header that the program and its modules share (cmake/module_interface.cmake),
// fixed when each was built. A module from another build could otherwise misread data or call the
// wrong function.
std::uint64_t module_interface();

// Opens the module with this name and makes its backend. Searches $STRATA_BACKEND_PATH, the
// program's folder, and ../lib/strata relative to it. Throws Error with exit code machine_cannot
// and the loader's message.
std::unique_ptr<Backend> open_backend_module(const std::string& name);

// The file of the module with this name: "libstrata_onednn.so".
std::string module_file(const std::string& name);

// The function `entry` of a module of this build, whatever it makes. Throws as open_backend_module
// does.
void* module_function(const std::string& name, const char* entry);

// A file that is searched for like a module, such as a program that a backend starts; empty if
// there is none.
std::optional<std::filesystem::path> find_beside_modules(const std::string& file);

// A module whose library offers a choice of algorithms also exports
//   extern "C" strata::AlgorithmSource* strata_make_algorithm_source(const char* description);
inline constexpr const char* algorithm_entry = "strata_make_algorithm_source";

// The algorithms of a device: the one described in the file `description`, or, if that is empty,
// the current one, on which they are also measured. Throws Error as above, or if there is no
// device.
std::unique_ptr<AlgorithmSource> open_algorithm_source(const std::string& name,
                                                       const std::string& description);

// An available version of oneDNN, and its source.
struct LibraryOffer {
    std::string_view version;
    std::string_view from;
};

// Newest first, as of `offers_known_on`.
std::span<const LibraryOffer> onednn_offers();
inline constexpr std::string_view offers_known_on = "2026-11-22";

// The offers newer than this version: "3.13.1 (source), 3.7.2 (Debian 13)"; empty if there are
// none.
std::string newer_onednn(const std::string& version);

}  // namespace strata

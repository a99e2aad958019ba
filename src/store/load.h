// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace strata {

// A stored run with bit-identical samples; counts are rounded to whole bytes and operations. Throws
// Error if there is none with that id or its rows are invalid.
Run load_run(const Database& database, std::int64_t id);

// The id that a name refers to: "17", "last", "last~2" (two before the last; partial runs count),
// or a tag (store/annotations.h). Throws Error, with exit code usage if the text cannot be such a
// name.
std::int64_t resolve_run(const Database& database, const std::string& name);

// The run of such a name in the database of that path, or of "FILE:NAME" in that file.
Run load_named_run(const std::filesystem::path& path, const std::string& name);

}  // namespace strata

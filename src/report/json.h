// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace strata {

// JSON as text, indented unless `indent` is negative. Invisible characters that reorder or hide
// their neighbours are escaped, and broken UTF-8 becomes U+FFFD.
std::string dump_json(const nlohmann::ordered_json& json, int indent = -1);

// A command's JSON: {"schema": "strata/<kind>/1", "strata": version, ...members}. The file
// docs/schema/<kind>.json describes it.
std::string json_text(std::string_view kind, std::string_view version,
                      nlohmann::ordered_json members);

// A table's rows: [{key: value, ...}, ...]. Numbers are unrounded and in SI units; what is missing
// is null. Requires: a table of data (data_of).
nlohmann::ordered_json records_of(const Table& data);

// The document's JSON: the rows of each table under their name in data. Requires: the document is
// data (data_of).
std::string render_json(const Document& data, std::string_view version);

// The charts of a page for the script that draws them: {"blocks": [{"type": "stacked_bars", ...}]}.
std::string charts_json(const Document& charts);

}  // namespace strata

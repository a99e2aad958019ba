// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <nlohmann/json_fwd.hpp>

namespace strata {

// A run's trace as run_json shows it, every span of the kept iteration included; null where nothing
// was recorded.
nlohmann::ordered_json trace_json(const Run& run);

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "metric/catalogue.h"

#include <string_view>

namespace strata {

// Reads a file of data/metrics/nvidia:
//
//   title = "Memory"
//   collected = "by default"               # or "on request"
//   remarks = ["A sector is 32 bytes."]
//   metrics = [
//     { name = "dram_read_bytes", unit = "B", meaning = "read from device memory",
//       formula = "dram__bytes_read.sum" },
//   ]
//
// A metric may name its category of stalls: stall = "memory_dependency". Throws Error, one
// sentence with file, place and fix; `origin` is the file's name, from which the set gets its
// own.
MetricSet parse_metric_set(std::string_view toml, std::string_view origin);

// Reads a file of data/metrics/architectures:
//
//   name = "Turing"
//   chips = ["TU102", "TU104"]
//   missing = [ { counters = "*_op_gmma.sum", chips = "TU104", reason = "no such instruction" } ]
Architecture parse_architecture(std::string_view toml, std::string_view origin);

}  // namespace strata

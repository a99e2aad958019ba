// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "graph/schedule.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace strata {

// A network, its schedule and its execution as a peer receives them; docs/peers.md lists the
// members. Everything that an adapter would otherwise derive is stated: windows without defaults,
// which operands of a task receive a gradient, and whether that is the first contribution of an
// iteration.
nlohmann::json network_json(const Graph& graph, const Execution& execution);

// Writes the initial values of an iteration to one file, f32 after f32: of every tensor that no
// layer computes, of every gradient that comes from outside, and, for an execution that is verified
// (MemoryReuse::kept), of every dropout's scales. Returns where each is:
//   [{"tensor": 3, "content": "value", "offset": 0, "count": 64}, {"layer": 2, "content": "scale",
//   ...}]
// `offset` counts elements. Throws Error if the file cannot be written.
nlohmann::json write_values(const Graph& graph, const Execution& execution,
                            const std::filesystem::path& file);

}  // namespace strata

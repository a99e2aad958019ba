// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "run/job.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace strata {

// Replaces input tensors by the values of .npy files. Throws Error if the graph has no such input
// or a file holds other extents.
void write_inputs(const Graph& graph, const std::map<std::string, std::filesystem::path>& inputs,
                  Executable& executable);

// Writes the network's outputs, and the results of the layers matching the dump's glob, as f32 .npy
// files named by tensor; results of a refused layer, and anything computed from them, have no
// values and no file. Requires: memory kept.
void write_dump(const Graph& graph, const Dump& dump, const Executable& executable);

// A tensor's name with everything but A-Z a-z 0-9 _ . - replaced by '_', at most 200 bytes, with a
// number appended if the name is taken.
std::string file_name_of(const std::string& tensor, std::set<std::string>& taken);

}  // namespace strata

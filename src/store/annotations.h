// SPDX-License-Identifier: MIT
#pragma once

#include "store/database.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A user's annotations of a stored run: tags, which can replace its id anywhere, and notes.
struct Annotations {
    std::vector<std::string> tags;  // by name
    std::string note;               // empty: none
};
Annotations annotations_of(const Database& database, std::int64_t run);

// Restores a run's annotations after its rows were renewed. Requires: a transaction of the caller.
void restore_annotations(const Database& database, std::int64_t run, const Annotations& had);

// Names the run; a run that had the name loses it. Throws Error with exit code usage for a name
// that could be mistaken for an id or a word such as last.
void tag_run(const Database& database, std::int64_t run, const std::string& name);

// Throws Error if no run has that name.
void remove_tag(const Database& database, const std::string& name);

// Replaces the run's note; an empty one removes it.
void note_run(const Database& database, std::int64_t run, const std::string& text);

// The run of that name, if any.
std::optional<std::int64_t> run_tagged(const Database& database, const std::string& name);

// Removes runs with everything that belongs to them, all or none, and reports each in a line: "run
// 12: alexnet, batch 32, training, 2026-11-21T13:15:00Z". Throws Error if one does not exist, or a
// living process is measuring it.
std::vector<std::string> delete_runs(const Database& database, std::span<const std::int64_t> runs);

}  // namespace strata

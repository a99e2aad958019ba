// SPDX-License-Identifier: MIT
#pragma once

#include "store/database.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Annotations by users on a stored run: tags, which can replace its id anywhere, and notes.
struct Annotations {
    std::vector<std::string> tags;  // by name
    std::string note;               // empty: none
};
Annotations annotations_of(const Database& database, std::int64_t run);

// What a run had before its rows were renewed. Within a transaction of the caller's.
void restore_annotations(const Database& database, std::int64_t run, const Annotations& had);

// Gives the run a name; a run that had it loses it. Throws Error with exit code usage for a name
// that could be mistaken for an id or a word such as last.
void tag_run(const Database& database, std::int64_t run, const std::string& name);

// Throws Error where no run has that name.
void remove_tag(const Database& database, const std::string& name);

// Replaces the run's note; an empty one removes it.
void note_run(const Database& database, std::int64_t run, const std::string& text);

// The run of that name, if any.
std::optional<std::int64_t> run_tagged(const Database& database, const std::string& name);

// Removes runs with all that belongs to them, all or none, and reports each in a line: "run 12:
// alexnet, batch 32, training, 2026-11-21T13:15:00Z". Throws Error where one is not there, or is
// being measured by a living process.
std::vector<std::string> delete_runs(const Database& database, std::span<const std::int64_t> runs);

}  // namespace strata

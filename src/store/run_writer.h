// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/tables.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// While it lives, SQLite does not check foreign keys: a writer of many runs takes every id from an
// existing row, and the checks take a fifth of the time. Requires: no transaction is open when it
// begins and ends.
class UncheckedReferences {
public:
    explicit UncheckedReferences(const Database& database);
    UncheckedReferences(const UncheckedReferences&) = delete;
    UncheckedReferences& operator=(const UncheckedReferences&) = delete;
    ~UncheckedReferences();

private:
    const Database& database_;
};

// The values of a run of a series that it does not share with the others.
struct SeriesRun {
    std::string_view network;
    std::int64_t batch = 1;
    Seconds time;
    Bytes memory;  // Run::predicted_memory
    RunWork work;
};

// Stores runs with statements prepared once. It opens no transaction: the caller decides how many
// runs are stored together, and discards it if one is rolled back.
class RunWriter {
public:
    explicit RunWriter(const Database& database) : tables_(database) {}

    // Stores a new run and sets its id. Requires: a transaction; run.created.
    void add(Run& run);
    // The same in another state, under an id, or as part of a plan.
    void add(Run& run, RunState state, const RowId& key, const RunPlace& place);

    // The columns that measuring changes.
    RunOutcome outcome_of(const Run& run, RunState state);

    // Runs that differ only in SeriesRun; their common values are formatted once.
    struct Series;
    Series series_of(const Run& prototype);
    // Stores one of them and returns its id. Requires: a transaction; a series of this writer.
    std::int64_t add(Series& series, const SeriesRun& run);

    TableWriter& tables() { return tables_; }

private:
    std::optional<std::int64_t> device_id(const Run& run);

    TableWriter tables_;
    std::map<std::string, std::int64_t> devices_;  // by text
};

struct RunWriter::Series {
    RunSettings settings;
    RunOutcome outcome;
    std::string key_end;  // record/identity.h
    std::vector<NameAndValue> further;
    std::vector<NameAndValue> provenance;
};

}  // namespace strata

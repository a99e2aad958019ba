// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// Stores many finished runs with statements prepared once. It opens no transaction: the
// caller decides how many runs are stored together, and discards it if one is rolled
// back.
class RunWriter {
public:
    explicit RunWriter(const Database& database);

    // Stores a new run and sets its id. Requires: a transaction; run.created.
    void add(Run& run);

    // Runs that differ only in SeriesRun; their common values are formatted once.
    class Series;
    Series series_of(Run prototype);
    // Stores one of them and returns its id. Requires: a transaction; a series of this writer.
    std::int64_t add(Series& series, const SeriesRun& run);

private:
    void add_run(Run& run);
    void add_step(std::int64_t run, std::size_t position, const StepResult& step,
                  const std::optional<Estimate>& time);
    void add_whole(std::int64_t run, const char* series, const Samples& samples);
    void add_work(std::int64_t run, const RunWork& work);
    void add_about(const Run& run);
    std::optional<std::int64_t> device_id(const Run& run);

    const Database* database_;
    TextTable texts_;
    std::map<std::string, std::int64_t> devices_;  // by text
    Statement run_;
    Statement step_;
    Statement whole_;
    Statement work_;
    Statement setting_;
    Statement provenance_;
    Statement flag_;
    Statement alias_;
    Statement occurrence_;
};

class RunWriter::Series {
    friend class RunWriter;

    Run prototype;
    std::string mode, dtype, algorithm, policy;
    std::string key_end;  // record/identity.h
    std::optional<std::int64_t> device;
    std::map<std::string, std::string> settings;
    std::vector<std::pair<std::int64_t, std::int64_t>> provenance;  // ids of texts
};

}  // namespace strata

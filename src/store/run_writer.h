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

// While it lives, SQLite does not look up the row that each reference names: who writes many runs
// takes every id from a row that is there, and a fifth of the time goes into these searches.
// Requires: no transaction is open at its beginning and its end.
class UncheckedReferences {
public:
    explicit UncheckedReferences(const Database& database);
    UncheckedReferences(const UncheckedReferences&) = delete;
    UncheckedReferences& operator=(const UncheckedReferences&) = delete;
    ~UncheckedReferences();

private:
    const Database& database_;
};

// A run of a series: what it does not share with the others.
struct SeriesRun {
    std::string_view network;
    std::int64_t batch = 1;
    Seconds time;
    Bytes memory;  // Run::predicted_memory
    RunWork work;
};

// Stores many runs that are there as a whole, a statement for each row, prepared once. It opens no
// transaction: whoever uses it decides how many runs are stored together, and drops it where one is
// rolled back.
class RunWriter {
public:
    explicit RunWriter(const Database& database);

    // Stores a run as a new one and gives it its id. Requires: a transaction; run.created.
    void add(Run& run);

    // Runs that differ in nothing but SeriesRun, of which what they share is put into words once.
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

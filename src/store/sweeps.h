// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "store/database.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

class TableWriter;

// The outcome of a point of a sweep.
enum class PointOutcome {
    claimed,        // a process works on it, or died doing so
    ok,             // it has a run
    out_of_memory,  // it needs more than the machine or the device has
    timeout,        // it was ended at the time limit
    skipped,        // beyond the given memory limit
    failed,         // `reason` says why
};
inline constexpr std::array<std::string_view, 6> names_of(PointOutcome) {
    return {"claimed", "ok", "out-of-memory", "timeout", "skipped", "failed"};
}

// A point of a sweep in the database.
struct StoredPoint {
    std::int64_t position = 0;  // in the grid, from 0
    std::int64_t repeat = 0;    // 0; for repeats of the anchor: one more than the place
                                // in the measuring order that it precedes
    std::string network;
    std::int64_t batch = 1;
    std::string mode;
    std::string dtype;
    std::int64_t threads = 0;  // requested; 0: all
    std::string backend;       // "onednn", "modelled:v100"
    PointOutcome outcome = PointOutcome::claimed;
    std::string reason = {};  // why it is not ok; empty: it is ok or claimed
    std::optional<std::int64_t> run = {};
};

// A sweep in a database: the same identity finds the same sweep, which is continued.
class StoredSweep {
public:
    // `identity` is everything that decides the points and their order. Requires: the database
    // outlives it.
    static StoredSweep open(const Database& database, const std::string& name,
                            const std::string& identity, std::int64_t points);

    std::int64_t id() const { return id_; }

    // By position: whether the point has its outcome.
    std::vector<bool> finished() const;

    // Claims a point for this process, unless it has its outcome or a living process works on it.
    bool claim(const StoredPoint& point) const;

    // The same for a measurement of the anchor; an earlier one keeps its place.
    bool is_free(std::int64_t position, std::int64_t repeat) const;

    void finish(const StoredPoint& point) const;

    // How many points have each outcome, without the anchor's repeats.
    std::map<PointOutcome, std::int64_t> outcomes() const;

    // The medians of the anchor's runs, in the order in which they were measured.
    std::vector<Seconds> anchor_times() const;

    // Adds a doubt to a stored run.
    void flag_run(std::int64_t run, std::string_view kind, const std::string& sentence) const;

private:
    StoredSweep(const Database& database, std::int64_t id);

    const Database* database_;
    std::int64_t id_;
    std::shared_ptr<TableWriter> writer_;  // prepared once: a sweep has many points
};

}  // namespace strata

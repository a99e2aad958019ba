// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <chrono>
#include <limits>

struct sqlite3;

namespace strata {

// The limits of one statement. Faulty SQL can need more than any machine has, and so can a damaged
// file whose pages form a cycle.
struct StatementLimits {
    Seconds time{60};   // of SQLite's work, excluding the caller's between rows
    Bytes memory{4e9};  // growth of the process
};

// Ends statements of a connection that exceed limits, once limits are set.
class StatementWatch {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    enum class Limit { none, time, memory };

    explicit StatementWatch(sqlite3* handle) : handle_(handle) {}
    StatementWatch(const StatementWatch&) = delete;
    StatementWatch& operator=(const StatementWatch&) = delete;

    // Starts the limits now. Memory growth counts from here too.
    void set(const StatementLimits& limits);
    const StatementLimits& limits() const { return limits_; }

    // Called around each piece of a statement's work, with its time so far.
    void enter(Clock::duration spent);
    Clock::duration leave() const { return Clock::now() - begin_; }

    // The limit that ended the statement that just failed.
    Limit exceeded() const;

private:
    static int is_over(void* watch);

    sqlite3* handle_;
    StatementLimits limits_{.time = Seconds{unlimited}, .memory = Bytes{unlimited}};
    Clock::time_point begin_, next_look_;  // when memory ends
    double resident_ = 0;                  // bytes, when the limits were set
    bool has_grown_ = false;
};

}  // namespace strata

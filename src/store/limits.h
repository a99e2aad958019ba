// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <chrono>
#include <limits>

struct sqlite3;

namespace strata {

// How much one statement may take. A mistake in SQL asks for more than any machine has, and so does
// a damaged file whose pages lead back to themselves.
struct StatementLimits {
    Seconds time{60};   // of SQLite's work, not of what its caller does between rows
    Bytes memory{4e9};  // by which the process grows
};

// Ends statements of a connection that exceed limits, once it was given some.
class StatementWatch {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    enum class Limit { none, time, memory };

    explicit StatementWatch(sqlite3* handle) : handle_(handle) {}
    StatementWatch(const StatementWatch&) = delete;
    StatementWatch& operator=(const StatementWatch&) = delete;

    // From now on. Memory counts from here, too.
    void set(const StatementLimits& limits);
    const StatementLimits& limits() const { return limits_; }

    // Around each piece of a statement's work, with the time that it took before.
    void enter(Clock::duration spent);
    Clock::duration leave() const { return Clock::now() - begin_; }

    // What ended the statement that just failed.
    Limit exceeded() const;

private:
    static int is_over(void* watch);

    sqlite3* handle_;
    StatementLimits limits_{.time = Seconds{unlimited}, .memory = Bytes{unlimited}};
    Clock::time_point begin_, next_look_;  // at the memory
    double resident_ = 0;                  // bytes, when the limits were set
    bool has_grown_ = false;
};

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <string>

struct sqlite3;

namespace strata {

// How this process waits while another one holds a database locked.
struct LockPatience {
    static constexpr Seconds endless{std::numeric_limits<double>::infinity()};

    Seconds limit{60};
    void (*tell)(const std::string& sentence) =
        nullptr;                              // called once per wait, after its first second
    const std::atomic<bool>* stop = nullptr;  // set: stop waiting
};

// The policy of all connections. Do not change it while another thread uses one.
LockPatience& lock_patience();

// The wait of one connection.
class LockWait {
public:
    LockWait(sqlite3* handle, std::filesystem::path file);
    LockWait(const LockWait&) = delete;
    LockWait& operator=(const LockWait&) = delete;

    // While it lives, the connection does not wait: for data that can be stored later.
    class Skipped {
    public:
        explicit Skipped(LockWait& wait) : wait_(wait) { wait_.is_skipped_ = true; }
        Skipped(const Skipped&) = delete;
        Skipped& operator=(const Skipped&) = delete;
        ~Skipped() { wait_.is_skipped_ = false; }

    private:
        LockWait& wait_;
    };

private:
    static int try_again(void* wait, int tries_before);

    std::filesystem::path file_;
    std::chrono::steady_clock::time_point begin_;
    bool is_told_ = false;
    bool is_skipped_ = false;
};

}  // namespace strata

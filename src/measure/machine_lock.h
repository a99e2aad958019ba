// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

namespace strata {

// A file lock that lets one process at a time measure on this machine, because simultaneous
// measurements disturb each other. The kernel releases it however the process ends. All users of
// the machine share it; containers with a separate /tmp do not.
class MachineLock {
public:
    // Opens the lock file. If it cannot be opened, there is nothing to wait for and the lock counts
    // as acquired.
    explicit MachineLock(const std::filesystem::path& file = "/tmp/strata-measuring.lock");
    MachineLock(MachineLock&& other) noexcept;
    MachineLock(const MachineLock&) = delete;
    MachineLock& operator=(const MachineLock&) = delete;
    MachineLock& operator=(MachineLock&&) = delete;
    ~MachineLock();

    // Acquires the lock unless another process holds it.
    bool try_acquire();

    // The process that holds it; nothing if the kernel does not report it.
    std::optional<int> holder() const;

private:
    int file_ = -1;
};

// Holds the machine lock for its lifetime, so that other strata processes wait.
struct MeasuringLock {
    MachineLock lock;
    bool is_shared = false;  // another process is measuring too
};

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

namespace strata {

// The right to measure on this machine, which one process has at a time: two that measure side by
// side disturb each other. It ends with the process, whatever ends it. All users of the machine
// share it; containers with a /tmp of their own do not.
class MachineLock {
public:
    // Opens the file that stands for the machine. Where it cannot be opened nobody can be waited
    // for, and the lock counts as taken.
    explicit MachineLock(const std::filesystem::path& file = "/tmp/strata-measuring.lock");
    MachineLock(MachineLock&& other) noexcept;
    MachineLock(const MachineLock&) = delete;
    MachineLock& operator=(const MachineLock&) = delete;
    MachineLock& operator=(MachineLock&&) = delete;
    ~MachineLock();

    // Takes the lock unless another process has it.
    bool try_take();

    // The process that has it; nothing where the kernel does not tell.
    std::optional<int> holder() const;

private:
    int file_ = -1;
};

}  // namespace strata

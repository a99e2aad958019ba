// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace strata {

// How long threads of this process were ready to run while another program used their processor. An
// interface, so that the sampler can be tested.
class WaitingTime {
public:
    virtual ~WaitingTime() = default;
    // Discards earlier waits.
    virtual void restart() = 0;
    // The longest wait of any thread since the last call of either function.
    virtual Seconds since_last() = 0;
};

// The waits that the kernel counts for each thread of this process, in nanoseconds: the second
// number in /proc/self/task/*/schedstat. `tasks` is that folder. Null if the kernel does not count
// them. It does not see a hypervisor's other guests.
std::unique_ptr<WaitingTime> thread_waits(const std::filesystem::path& tasks = "/proc/self/task");

// The total time of pieces of work after which the waits are read: 200 times the time of reading,
// at least 0.25 ms.
Seconds reading_interval(WaitingTime& waiting, Clock& clock);

// The threads' waits while a piece of work was timed. Short pieces share a reading, identified by
// its number.
struct Wait {
    Seconds longest;
    std::size_t reading = 0;
};

// Finds out which pieces of work, timed one after another, were delayed by other programs.
class WaitWatch {
public:
    WaitWatch(WaitingTime& waiting, Seconds interval) : waiting_(waiting), interval_(interval) {}

    // Call before the first piece.
    void begin();

    // Adds a piece's time. Returns whether the waits were read, which takes time outside all
    // pieces.
    bool took(Seconds time);

    // One for each piece since begin.
    std::vector<Wait> end();

private:
    void read();

    WaitingTime& waiting_;
    Seconds interval_;
    Seconds since_reading_;
    std::size_t unread_ = 0;  // pieces
    std::size_t readings_ = 0;
    std::vector<Wait> waits_;
};

// Whether a wait delayed a piece too much for its sample to be meaningful: by more than a twentieth
// of its time.
bool is_disturbed(Seconds time, Seconds waited);

// The waits of all these pieces together.
Seconds total_of(std::span<const Wait> waits);

}  // namespace strata

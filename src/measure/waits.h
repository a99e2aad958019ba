// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace strata {

// For how long threads of this process were ready to run while another program had their processor.
// An interface, so that the sampler can be tested.
class WaitingTime {
public:
    virtual ~WaitingTime() = default;
    // What was before no longer counts.
    virtual void restart() = 0;
    // The longest wait of any thread since the last call of either function.
    virtual Seconds since_last() = 0;
};

// The waits that the kernel counts for each thread of this process, in nanoseconds: the second
// number in /proc/self/task/*/schedstat. `tasks` is that folder. Null where the kernel does not
// count them. A hypervisor's other guests are not seen by it.
std::unique_ptr<WaitingTime> thread_waits(const std::filesystem::path& tasks = "/proc/self/task");

// How long pieces of work must take together before the waits are read: 200 times as long as
// reading takes, at least 0.25 ms.
Seconds reading_interval(WaitingTime& waiting, Clock& clock);

// What threads waited while a piece of work was timed. Short pieces share a reading, whose number
// tells them apart from those of another.
struct Wait {
    Seconds longest;
    std::size_t reading = 0;
};

// Finds out which pieces of work, timed one after another, were delayed by other programs.
class WaitWatch {
public:
    WaitWatch(WaitingTime& waiting, Seconds interval) : waiting_(waiting), interval_(interval) {}

    // The first piece follows.
    void begin();

    // A piece took so long. Whether the waits were read, which takes time that belongs to no piece.
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

// Whether a wait delayed a piece of this time by so much that its sample says little of the piece:
// more than a twentieth of it.
bool is_disturbed(Seconds time, Seconds waited);

// The waits of all these pieces together.
Seconds total_of(std::span<const Wait> waits);

}  // namespace strata

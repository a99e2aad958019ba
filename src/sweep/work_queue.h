// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace strata {

// The queue between a rank's working threads and the thread that talks to the other ranks: places
// to do go in, stored places come out. Thread-safe.
class WorkQueue {
public:
    using Places = std::vector<std::int64_t>;

    // Waits for the next portion. Empty at the end.
    Places take();
    // Marks places whose outcome is stored.
    void settle(const Places& places);

    // The number of portions to keep waiting here, besides those being asked for; 0 at first.
    void keep_ahead(std::size_t portions);
    // How many portions it lacks.
    std::size_t wanted() const;
    // Whether a thread is waiting for a portion.
    bool is_dry() const;
    void give(Places places);
    // What was settled since the last call.
    Places take_settled();
    // Ends the queue: portions that nobody has begun are dropped.
    void end();

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Places> portions_;
    Places settled_;
    std::size_t ahead_ = 0;
    std::size_t waiting_ = 0;  // threads in take()
    bool has_ended_ = false;
};

}  // namespace strata

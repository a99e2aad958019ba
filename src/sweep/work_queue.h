// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace strata {

// What lies between the threads of a rank that do its points and the one that speaks with the
// other ranks: places to be done on the way in, places that are stored on the way out. Safe to be
// used by all of them.
class WorkQueue {
public:
    using Places = std::vector<std::int64_t>;

    // The next portion, as soon as there is one. Empty at the end.
    Places take();
    // These have their outcome, which is stored.
    void settle(const Places& places);

    // So many portions wait here, besides those that are asked for; at first none.
    void keep_ahead(std::size_t portions);
    // How many portions it lacks.
    std::size_t wanted() const;
    // Whether somebody waits for one.
    bool is_dry() const;
    void give(Places places);
    // What was settled since the last call.
    Places take_settled();
    // There will be no more, and what nobody has begun is dropped.
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

// SPDX-License-Identifier: MIT
#include "sweep/work_queue.h"

#include <utility>

namespace strata {

WorkQueue::Places WorkQueue::take() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait(lock, [&] { return !portions_.empty() || has_ended_; });
    --waiting_;
    if (has_ended_) {
        return {};
    }
    Places places = std::move(portions_.front());
    portions_.pop_front();
    return places;
}

void WorkQueue::settle(const Places& places) {
    const std::lock_guard lock(mutex_);
    settled_.insert(settled_.end(), places.begin(), places.end());
}

void WorkQueue::keep_ahead(std::size_t portions) {
    const std::lock_guard lock(mutex_);
    ahead_ = portions;
}

std::size_t WorkQueue::wanted() const {
    const std::lock_guard lock(mutex_);
    const std::size_t needed = waiting_ + ahead_;
    return has_ended_ || needed <= portions_.size() ? 0 : needed - portions_.size();
}

bool WorkQueue::is_dry() const {
    const std::lock_guard lock(mutex_);
    return waiting_ > 0;
}

void WorkQueue::give(Places places) {
    const std::lock_guard lock(mutex_);
    portions_.push_back(std::move(places));
    changed_.notify_one();
}

WorkQueue::Places WorkQueue::take_settled() {
    const std::lock_guard lock(mutex_);
    return std::exchange(settled_, {});
}

void WorkQueue::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
}

}  // namespace strata

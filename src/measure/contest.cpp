// SPDX-License-Identifier: MIT
#include "measure/contest.h"

#include "base/random.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

constexpr RandomStream drawn_orders(0x5374726174610001, 0);

}  // namespace

void Contest::remove(std::size_t candidate) {
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(candidate));
}

bool Contest::run_round() {
    for (const std::size_t which : order_of_round()) {
        if (is_stopped()) {
            return false;
        }
        take_turn(candidates_[which]);
    }
    if (is_stopped()) {
        return false;
    }
    ++rounds_;
    return true;
}

const std::vector<Samples>& Contest::parts(std::size_t candidate) const {
    return candidates_[candidate].parts;
}

const std::vector<Seconds>& Contest::whole(std::size_t candidate) const {
    return candidates_[candidate].whole;
}

Seconds Contest::last_round() const {
    return std::accumulate(
        candidates_.begin(), candidates_.end(), Seconds{},
        [](Seconds sum, const Candidate& one) { return sum + one.whole.back(); });
}

std::vector<std::size_t> Contest::order_of_round() const {
    std::vector<std::size_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order_ == TurnOrder::reversing && rounds_ % 2 != 0) {
        std::ranges::reverse(order);
    }
    for (std::size_t swap = 0; order_ == TurnOrder::drawn && swap + 1 < order.size(); ++swap) {
        const std::size_t last = order.size() - 1 - swap;
        const std::uint64_t word = drawn_orders.bits(rounds_ * (order.size() / 2) + swap / 2);
        std::swap(order[last], order[(word >> (swap % 2 * 32)) % (last + 1)]);  // two of each word
    }
    return order;
}

void Contest::take_turn(Candidate& candidate) {
    const std::vector<Seconds> times = candidate.turn();
    candidate.parts.resize(times.size());
    for (std::size_t part = 0; part < times.size(); ++part) {
        candidate.parts[part].values.push_back(times[part]);
    }
    if (!times.empty()) {
        candidate.whole.push_back(std::accumulate(times.begin(), times.end(), Seconds{}));
    }
}

std::size_t runs_within(Seconds time, Seconds one, std::size_t most) {
    const auto limit = static_cast<double>(most);
    const double fitting = one.value > 0 ? time / one : limit;
    return static_cast<std::size_t>(std::clamp(fitting, 1.0, limit));
}

}  // namespace strata

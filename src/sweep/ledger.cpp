// SPDX-License-Identifier: MIT
#include "sweep/ledger.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

struct PlaceRun {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

// "7" or "7-9", below `count`.
std::optional<PlaceRun> run_of_places(std::string_view text, std::int64_t count) {
    const auto ends = split(text, '-');
    const auto first = parse_integer(ends.front()), last = parse_integer(ends.back());
    if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first || *last >= count) {
        return std::nullopt;
    }
    return PlaceRun{*first, *last};
}

}  // namespace

std::string places_text(std::span<const std::int64_t> places) {
    std::string text;
    for (std::size_t i = 0; i < places.size();) {
        std::size_t end = i + 1;
        while (end < places.size() && places[end] == places[end - 1] + 1) {
            ++end;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", places[i]);
        text += end > i + 1 ? fmt::format("-{}", places[end - 1]) : "";
        i = end;
    }
    return text;
}

std::optional<std::vector<std::int64_t>> parse_places(std::string_view text, std::int64_t count) {
    std::vector<std::int64_t> places;
    if (text.empty()) {
        return places;
    }
    for (const std::string_view part : split(text, ',')) {
        const auto run = run_of_places(part, count);
        if (!run || run->last - run->first >= count - static_cast<std::int64_t>(places.size())) {
            return std::nullopt;
        }
        for (std::int64_t place = run->first; place <= run->last; ++place) {
            places.push_back(place);
        }
    }
    return places;
}

WorkLedger::WorkLedger(std::vector<bool> settled, int ranks, std::int64_t max_at_once)
    : settled_(std::move(settled)),
      held_(static_cast<std::size_t>(ranks)),
      left_(std::ranges::count(settled_, false)),
      max_at_once_(max_at_once),
      workers_(ranks) {
    check(ranks > 0 && max_at_once > 0, "there are ranks, and portions are not empty");
}

void WorkLedger::share_among(std::int64_t workers) {
    workers_ = std::max<std::int64_t>(workers, 1);
}

// At most a quarter of an even share, so that ranks that are slower or begin later delay the others
// little.
std::vector<std::int64_t> WorkLedger::take(int rank) {
    auto& held = held_.at(static_cast<std::size_t>(rank));
    const auto portion =
        static_cast<std::size_t>(std::clamp(left_ / (4 * workers_), std::int64_t{1}, max_at_once_));
    std::vector<std::int64_t> places;
    const auto add = [&](std::int64_t place) {
        if (!is_settled(place)) {
            places.push_back(place);
        }
    };
    while (places.size() < portion && !returned_.empty()) {
        add(returned_.front());
        returned_.pop_front();
    }
    while (places.size() < portion && next_ < static_cast<std::int64_t>(settled_.size())) {
        add(next_++);
    }
    held.insert(places.begin(), places.end());
    return places;
}

void WorkLedger::settle(int rank, std::span<const std::int64_t> places) {
    for (const std::int64_t place : places) {
        check(place >= 0 && place < static_cast<std::int64_t>(settled_.size()),
              "a place is one of the sweep");
        held_.at(static_cast<std::size_t>(rank)).erase(place);
        left_ -= is_settled(place) ? 0 : 1;
        settled_[static_cast<std::size_t>(place)] = true;
    }
}

std::int64_t WorkLedger::release(int rank) {
    auto& held = held_.at(static_cast<std::size_t>(rank));
    std::erase_if(held, [&](std::int64_t place) { return is_settled(place); });
    const auto count = static_cast<std::int64_t>(held.size());
    returned_.insert(returned_.end(), held.begin(), held.end());
    held.clear();
    return count;
}

}  // namespace strata

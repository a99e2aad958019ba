// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Places of a sweep's points as one line, "0-15,40,42-43", in their order.
std::string places_text(std::span<const std::int64_t> places);

// Reads them back. Empty if a place is not below `count`, if there are more than `count`, or if the
// text is malformed; an empty text means no places.
std::optional<std::vector<std::int64_t>> parse_places(std::string_view text, std::int64_t count);

// Records which rank has which points of a shared sweep: every place, from 0, is open, held by a
// rank, or settled (its outcome is stored).
class WorkLedger {
public:
    // `settled` marks places that already have an outcome. A rank gets at most `max_at_once` at a
    // time, fewer towards the end, so that all end together.
    WorkLedger(std::vector<bool> settled, int ranks, std::int64_t max_at_once);

    // The total number of workers, if not one for each rank: sets the size of portions.
    void share_among(std::int64_t workers);

    // Gives the rank open places to hold; none if all are held or settled.
    std::vector<std::int64_t> take(int rank);

    // Settles these places, whoever held them.
    void settle(int rank, std::span<const std::int64_t> places);

    // Reopens the places of a rank that is gone; returns their number.
    std::int64_t release(int rank);

    // Whether portions have become smaller.
    bool is_ending() const { return left_ / (4 * workers_) < max_at_once_; }
    bool is_complete() const { return left_ == 0; }
    std::int64_t left() const { return left_; }  // places that are not settled
    bool is_settled(std::int64_t place) const { return settled_[static_cast<std::size_t>(place)]; }

private:
    std::vector<bool> settled_;
    std::vector<std::set<std::int64_t>> held_;  // by rank
    std::deque<std::int64_t> returned_;         // from ranks that are gone
    std::int64_t next_ = 0;                     // all places before it have been held
    std::int64_t left_ = 0;
    std::int64_t max_at_once_;
    std::int64_t workers_;
};

}  // namespace strata

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

// Reads them back. Nothing where a place is not below `count`, where there are more than `count`,
// or where the text is none of this kind; an empty text is no place.
std::optional<std::vector<std::int64_t>> parse_places(std::string_view text, std::int64_t count);

// Who has which points of a sweep that several ranks share: every place, from 0, is open, held by
// a rank, or settled, which means that its outcome is stored.
class WorkLedger {
public:
    // `settled` says which places have their outcome already. A rank gets at most so many at once,
    // fewer towards the end, so that all end together.
    WorkLedger(std::vector<bool> settled, int ranks, std::int64_t most_at_once);

    // How many work at a time, if it is not one for each rank: there is something for all.
    void share_among(std::int64_t workers);

    // Open places, which the rank holds from now on; none where all are held or settled.
    std::vector<std::int64_t> take(int rank);

    // These have their outcome, whoever held them.
    void settle(int rank, std::span<const std::int64_t> places);

    // The rank is gone: what it held is open again. How many these are.
    std::int64_t release(int rank);

    // Portions have become smaller.
    bool is_ending() const { return left_ / (4 * workers_) < most_at_once_; }
    bool is_complete() const { return left_ == 0; }
    std::int64_t left() const { return left_; }  // places that are not settled
    bool is_settled(std::int64_t place) const { return settled_[static_cast<std::size_t>(place)]; }

private:
    std::vector<bool> settled_;
    std::vector<std::set<std::int64_t>> held_;  // by rank
    std::deque<std::int64_t> returned_;         // by ranks that are gone
    std::int64_t next_ = 0;                     // all before have been held
    std::int64_t left_ = 0;
    std::int64_t most_at_once_;
    std::int64_t workers_;
};

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "import/rounds.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace strata {

namespace {

using Parts = std::span<const SequencePart>;

constexpr double max_left_out = 0.02;  // of the time
constexpr double min_alike = 0.8;      // of the parts of the longer of two rounds
constexpr double min_gap_ratio = 2;    // of gaps between rounds over those within
constexpr Nanoseconds shortest_gap =
    std::chrono::microseconds(1);            // the rounding of times in files
constexpr std::size_t max_gap_counts = 8;    // number of candidates tried
constexpr std::size_t max_first_parts = 64;  // likewise

Nanoseconds time_of(Parts parts) {
    return std::accumulate(
        parts.begin(), parts.end(), Nanoseconds::zero(),
        [](Nanoseconds sum, const SequencePart& part) { return sum + part.time; });
}

// The shortest period of the sequence that fits at least twice (by the failure function of Knuth,
// Morris and Pratt).
std::optional<std::size_t> period_of(Parts parts) {
    std::vector<std::size_t> border(parts.size() + 1);
    for (std::size_t i = 1, k = 0; i < parts.size(); ++i) {
        while (k > 0 && parts[i].identity != parts[k].identity) {
            k = border[k];
        }
        k += parts[i].identity == parts[k].identity ? 1U : 0U;
        border[i + 1] = k;
    }
    const std::size_t period = parts.size() - border.back();
    return period > 0 && 2 * period <= parts.size() ? std::optional(period) : std::nullopt;
}

// The share of common parts of two rounds, over the parts of the longer one.
double alike(Parts a, Parts b) {
    std::map<std::uint32_t, std::ptrdiff_t> counts;
    for (const SequencePart& part : a) {
        ++counts[part.identity];
    }
    std::size_t shared = 0;
    for (const SequencePart& part : b) {
        shared += counts[part.identity]-- > 0 ? 1U : 0U;
    }
    return static_cast<double>(shared) / static_cast<double>(std::max(a.size(), b.size()));
}

// A sequence split at some positions.
class Cut {
public:
    Cut(Parts parts, std::vector<std::size_t> begins) : parts_(parts), begins_(std::move(begins)) {}

    // The rounds, if all pieces are similar except for preparations before them and a truncated
    // last one.
    std::optional<Rounds> rounds(RoundEvidence evidence) {
        end_ = parts_.size();
        if (begins_.size() < 2) {
            return {};
        }
        drop_cut_last();
        drop_preparations();
        if (begins_.size() < 2) {
            return {};
        }
        for (std::size_t i = 0; i < begins_.size(); ++i) {
            if (!is_round(piece(i))) {
                return {};
            }
        }
        return Rounds{begins_, end_, evidence};
    }

private:
    Parts piece(std::size_t i) const {
        const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : end_;
        return parts_.subspan(begins_[i], end - begins_[i]);
    }

    // (The first one may contain preparations, and the last one may be truncated.)
    Parts model() const { return piece(begins_.size() > 2 ? 1 : 0); }

    bool is_round(Parts piece) const {
        const Parts other = model();
        const auto less = static_cast<double>(std::min(piece.size(), other.size()));
        const auto more = static_cast<double>(std::max(piece.size(), other.size()));
        return less >= min_alike * more && piece.front().identity == other.front().identity &&
               alike(piece, other) >= min_alike;
    }

    void drop_cut_last() {
        const Parts last = piece(begins_.size() - 1);
        const bool is_cut = last.size() < model().size() &&
                            alike(last, model()) * static_cast<double>(model().size()) >=
                                min_alike * static_cast<double>(last.size());
        if (!is_round(last) && is_cut) {
            end_ = begins_.back();
            begins_.pop_back();
        }
    }

    void drop_preparations() {
        std::size_t pieces = 0;
        while (pieces + 2 < begins_.size() && !is_round(piece(pieces))) {
            ++pieces;
        }
        const Parts before = parts_.subspan(0, begins_[pieces]);
        if (seconds_of(time_of(before)) <= max_left_out * seconds_of(time_of(parts_))) {
            begins_.erase(begins_.begin(), begins_.begin() + static_cast<std::ptrdiff_t>(pieces));
        } else {
            begins_.clear();
        }
    }

    Parts parts_;
    std::vector<std::size_t> begins_;
    std::size_t end_ = 0;
};

// The idle time before each part; the first has none.
std::vector<Nanoseconds> gaps_before(Parts parts) {
    std::vector<Nanoseconds> gaps(parts.size());
    Nanoseconds end = parts.empty() ? Nanoseconds::zero() : parts.front().end;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        gaps[i] = std::max(parts[i].start - end, Nanoseconds::zero());
        end = std::max(end, parts[i].end);
    }
    return gaps;
}

// Positions by the length of the gaps before them, longest first, without empty gaps.
std::vector<std::size_t> by_gap(const std::vector<Nanoseconds>& gaps) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        if (gaps[i] >= shortest_gap) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return gaps[i]; });
    return order;
}

// The given number of pieces between the longest gaps; nothing if there are not enough.
std::vector<std::size_t> cut_at_gaps(std::vector<std::size_t> order, std::size_t count) {
    if (order.size() + 1 < count) {
        return {};
    }
    order.resize(count - 1);
    order.push_back(0);
    std::ranges::sort(order);
    return order;
}

std::optional<Rounds> rounds_by_gaps(Parts parts) {
    const std::vector<Nanoseconds> gaps = gaps_before(parts);
    const std::vector<std::size_t> order = by_gap(gaps);
    std::vector<std::pair<double, std::size_t>> clear;  // ratio, and number of longer gaps
    for (std::size_t count = 1; count <= order.size(); ++count) {
        const Nanoseconds next =
            std::max(count < order.size() ? gaps[order[count]] : shortest_gap, shortest_gap);
        const double ratio = seconds_of(gaps[order[count - 1]]) / seconds_of(next);
        if (ratio >= min_gap_ratio) {
            clear.emplace_back(ratio, count);
        }
    }
    std::ranges::sort(clear, std::greater());
    clear.resize(std::min(clear.size(), max_gap_counts));
    for (const auto& [ratio, count] : clear) {
        auto rounds = Cut(parts, cut_at_gaps(order, count + 1)).rounds(RoundEvidence::gaps);
        if (rounds &&
            rounds->begins.size() > 2) {  // a single hiccup would split any recording in two
            return rounds;
        }
    }
    return {};
}

// Whether a training step ends with such a part: an update, or a gradient if no update is recorded.
bool ends_step(Pass pass, bool has_update) {
    return has_update ? pass == Pass::update : pass != Pass::forward;
}

// Splits where that part recurs after the end of a training step.
std::vector<std::size_t> cut_into_steps(Parts parts, std::size_t first) {
    const bool has_update =
        std::ranges::find(parts, Pass::update, &SequencePart::pass) != parts.end();
    std::vector<std::size_t> begins = {first};
    bool has_ended = false;
    for (std::size_t i = first; i < parts.size(); ++i) {
        if (has_ended && parts[i].identity == parts[first].identity) {
            begins.push_back(i);
            has_ended = false;
        }
        has_ended = has_ended || ends_step(parts[i].pass, has_update);
    }
    return begins;
}

// A recording may begin with parts that its steps lack.
std::optional<Rounds> rounds_of_training(Parts parts) {
    const Seconds all = seconds_of(time_of(parts));
    for (std::size_t first = 0; first < std::min(parts.size(), max_first_parts); ++first) {
        if (seconds_of(time_of(parts.subspan(0, first))) > max_left_out * all) {
            break;
        }
        if (parts[first].pass == Pass::forward) {
            if (auto rounds =
                    Cut(parts, cut_into_steps(parts, first)).rounds(RoundEvidence::training)) {
                return rounds;
            }
        }
    }
    return {};
}

// The whole sequence in equal rounds; a truncated last one is left out.
std::optional<Rounds> equal_rounds(Parts parts) {
    const auto period = period_of(parts);
    if (!period) {
        return {};
    }
    Rounds rounds;
    for (std::size_t begin = 0; begin + *period <= parts.size(); begin += *period) {
        rounds.begins.push_back(begin);
    }
    rounds.end = rounds.begins.size() * *period;
    rounds.evidence = std::ranges::any_of(parts, &SequencePart::is_graph)
                          ? RoundEvidence::graphs
                          : RoundEvidence::recurrence;
    return rounds;
}

// Every n-th of these positions, to get the given number; nothing if that does not divide evenly.
std::vector<std::size_t> thinned(const std::vector<std::size_t>& places, std::size_t count) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; places.size() % count == 0 && i < places.size();
         i += places.size() / count) {
        kept.push_back(places[i]);
    }
    return kept;
}

std::vector<std::size_t> places_of_first(Parts parts) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].identity == parts.front().identity) {
            places.push_back(i);
        }
    }
    return places;
}

}  // namespace

std::optional<Rounds> rounds_in(Parts parts, bool has_starts) {
    if (auto rounds = rounds_of_training(parts)) {
        return rounds;
    }
    auto gaps = has_starts ? rounds_by_gaps(parts) : std::nullopt;
    auto equal = equal_rounds(parts);
    return !gaps || (equal && equal->evidence == RoundEvidence::graphs) ? equal : gaps;
}

std::optional<Rounds> rounds_in(Parts parts, bool has_starts, std::size_t count) {
    if (count == 0 || count > parts.size()) {
        return {};
    }
    std::vector<std::size_t> all(parts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::vector<std::size_t> equal = thinned(all, count);
    const bool begin_alike = std::ranges::all_of(
        equal, [&](std::size_t place) { return parts[place].identity == parts.front().identity; });
    std::vector<std::size_t> begins = begin_alike ? equal : std::vector<std::size_t>();
    if (begins.empty()) {
        begins = thinned(places_of_first(parts), count);
    }
    if (begins.empty() && has_starts) {
        begins = cut_at_gaps(by_gap(gaps_before(parts)), count);
    }
    if (begins.empty()) {
        begins = equal;
    }
    return begins.empty() ? std::nullopt : std::optional(Rounds{begins, parts.size()});
}

}  // namespace strata

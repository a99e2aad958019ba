// SPDX-License-Identifier: MIT
#include "import/iterations.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace strata {

namespace {

// What is the same in each iteration.
auto signature_of(const RecordedOperator& one) {
    return std::tuple(one.name, one.scope, one.shape, one.pass, one.kind);
}

// Where the repetitions begin, and how many operators each has.
struct Repetition {
    std::size_t first = 0;
    std::size_t length = 0;
};

// The longest end of the sequence that consists of at least two equal parts, if it is at least half
// of it: before it are preparations. (Knuth, Morris and Pratt's failure function, from the end.)
std::optional<Repetition> repetition_in(const std::vector<RecordedOperator>& all) {
    const std::size_t n = all.size();
    const auto at = [&](std::size_t i) { return signature_of(all[n - 1 - i]); };
    std::vector<std::uint32_t> border(n + 1);
    std::optional<Repetition> found;
    for (std::size_t i = 1, k = 0; i < n; ++i) {
        while (k > 0 && at(i) != at(k)) {
            k = border[k];
        }
        k += at(i) == at(k) ? 1U : 0U;
        border[i + 1] = static_cast<std::uint32_t>(k);
        const std::size_t covered = i + 1;
        const std::size_t period = covered - k;
        if (2 * covered >= n && covered >= 2 * period) {
            // What follows the last whole iteration of a recording that was stopped is left out.
            found = {n - covered, period};
        }
    }
    return found;
}

class Divider {
public:
    Divider(const RecordedProfile& recording, std::optional<std::int64_t> asked)
        : recording_(recording), asked_(asked) {}

    RecordedIterations divide() {
        result_.of_operator.resize(recording_.operators.size());
        if (asked_) {
            divide_as_asked();
        } else if (!recording_.iterations.empty() && divide_by_marks()) {
            result_.how = "marked by the tool";
        } else if (const auto repetition = repetition_in(recording_.operators)) {
            divide_by(*repetition);
            result_.how = "found by the repetition of its operators";
        } else {
            divide_by({0, recording_.operators.size()});
            result_.how = "as nothing marks several and no sequence of operators repeats itself";
        }
        measure();
        return std::move(result_);
    }

private:
    void divide_as_asked() {
        const auto count = static_cast<std::size_t>(*asked_);
        const std::size_t all = recording_.operators.size();
        if (count == 0 || all % count != 0) {
            throw Error(fmt::format("{} operators are not {} equal iterations; leave out "
                                    "--iterations or correct it",
                                    all, *asked_),
                        ExitCode::usage);
        }
        divide_by({0, all / count});
        result_.how = "as asked";
    }

    void divide_by(const Repetition& repetition) {
        const std::size_t all = result_.of_operator.size();
        result_.count = repetition.length == 0 ? 0 : (all - repetition.first) / repetition.length;
        for (std::size_t i = 0; i < result_.count * repetition.length; ++i) {
            result_.of_operator[repetition.first + i] = i / repetition.length;
        }
    }

    // False where no operator lies within a mark. Marks without any are no iterations.
    bool divide_by_marks() {
        const auto& marks = recording_.iterations;
        std::vector<bool> used(marks.size());
        for (std::size_t i = 0; i < result_.of_operator.size(); ++i) {
            const auto after = std::ranges::upper_bound(marks, recording_.operators[i].start, {},
                                                        &MarkedIteration::first);
            const auto place = static_cast<std::size_t>(after - marks.begin());
            if (place > 0 && recording_.operators[i].start < marks[place - 1].second) {
                result_.of_operator[i] = place - 1;
                used[place - 1] = true;
            }
        }
        std::vector<std::size_t> number(marks.size());
        result_.count = 0;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            number[i] = result_.count;
            if (used[i]) {
                ++result_.count;
                lengths_.push_back(marks[i].second - marks[i].first);
            }
        }
        for (auto& iteration : result_.of_operator) {
            iteration = iteration ? std::optional(number[*iteration]) : std::nullopt;
        }
        return result_.count > 0;
    }

    // A device's iteration lasts from its first span to its last one, also where the host marked
    // it.
    void measure() {
        std::vector<std::pair<Nanoseconds, Nanoseconds>> periods(
            result_.count, {Nanoseconds::max(), Nanoseconds::min()});
        const auto extend = [&](std::uint32_t place, Nanoseconds start, Nanoseconds end) {
            if (const auto iteration = result_.of_operator[place]) {
                auto& period = periods[*iteration];
                period = {std::min(period.first, start), std::max(period.second, end)};
            }
        };
        for (const RecordedSpan& one : recording_.spans) {
            extend(one.launched_by, one.span.start, one.span.end);
        }
        for (std::uint32_t i = 0; i < result_.of_operator.size(); ++i) {
            const RecordedOperator& one = recording_.operators[i];
            result_.outside += result_.of_operator[i] ? Nanoseconds::zero() : one.time;
            if (recording_.spans.empty()) {
                extend(i, one.start, one.start + one.time);
            }
        }
        for (std::size_t i = 0; i < result_.count && recording_.has_starts; ++i) {
            const bool is_marked = recording_.spans.empty() && !lengths_.empty();
            const bool is_timed = periods[i].first <= periods[i].second;
            const Nanoseconds length = is_marked  ? lengths_[i]
                                       : is_timed ? periods[i].second - periods[i].first
                                                  : Nanoseconds::zero();
            result_.lengths.push_back(seconds_of(length));
            result_.has_wrapped = result_.has_wrapped || !is_plausible(length);
        }
        if (result_.has_wrapped) {
            result_.lengths.clear();
        }
    }

    const RecordedProfile& recording_;
    std::optional<std::int64_t> asked_;
    RecordedIterations result_ = {};
    std::vector<Nanoseconds> lengths_ = {};  // of the marked iterations
};

}  // namespace

RecordedIterations iterations_in(const RecordedProfile& recording,
                                 std::optional<std::int64_t> asked) {
    return Divider(recording, asked).divide();
}

}  // namespace strata

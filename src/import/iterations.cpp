// SPDX-License-Identifier: MIT
#include "import/iterations.h"

#include "import/rounds.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace strata {

namespace {

// When each operator's work ran: its spans on a device, if it has any.
std::vector<std::pair<Nanoseconds, Nanoseconds>> periods_of(const RecordedProfile& recording) {
    std::vector<std::pair<Nanoseconds, Nanoseconds>> periods;
    for (const RecordedOperator& one : recording.operators) {
        periods.emplace_back(one.start, one.start + one.time);
    }
    std::vector<bool> has_spans(periods.size());
    for (const RecordedSpan& one : recording.spans) {
        auto& [start, end] = periods[one.launched_by];
        start = has_spans[one.launched_by] ? std::min(start, one.span.start) : one.span.start;
        end = has_spans[one.launched_by] ? std::max(end, one.span.end) : one.span.end;
        has_spans[one.launched_by] = true;
    }
    return periods;
}

// The operators as a sequence that may repeat itself: each part is an operator, or everything that
// one launch of a graph ran.
class OperatorSequence {
public:
    explicit OperatorSequence(const RecordedProfile& recording) : recording_(recording) {
        const auto periods = periods_of(recording);
        const std::vector<RecordedOperator>& all = recording.operators;
        for (std::size_t begin = 0; begin < all.size();) {
            std::size_t end = begin + 1;
            while (all[begin].launch != 0 && end < all.size() &&
                   all[end].launch == all[begin].launch) {
                ++end;
            }
            add(begin, end, periods);
            begin = end;
        }
        first_.push_back(all.size());
    }

    const std::vector<SequencePart>& parts() const { return parts_; }
    // The index of a part's first operator; for the end of the parts, the end of the
    // operators.
    std::size_t first_of(std::size_t part) const { return first_[part]; }

private:
    void add(std::size_t begin, std::size_t end,
             const std::vector<std::pair<Nanoseconds, Nanoseconds>>& periods) {
        SequencePart part{.pass = recording_.operators[begin].pass,
                          .is_graph = end - begin > 1,
                          .start = periods[begin].first,
                          .end = periods[begin].second};
        std::vector<std::uint32_t> kinds;
        for (std::size_t i = begin; i < end; ++i) {
            kinds.push_back(kind_of(recording_.operators[i]));
            part.time += recording_.operators[i].time;
            part.start = std::min(part.start, periods[i].first);
            part.end = std::max(part.end, periods[i].second);
        }
        part.identity =
            identities_.emplace(std::move(kinds), static_cast<std::uint32_t>(identities_.size()))
                .first->second;
        parts_.push_back(part);
        first_.push_back(begin);
    }

    // The properties of an operator that recur in each iteration, as a number.
    std::uint32_t kind_of(const RecordedOperator& one) {
        return kinds_
            .emplace(std::tuple(one.name, one.scope, one.shape, one.pass, one.kind),
                     static_cast<std::uint32_t>(kinds_.size()))
            .first->second;
    }

    const RecordedProfile& recording_;
    std::map<std::tuple<TextId, TextId, TextId, Pass, StepKind>, std::uint32_t> kinds_ = {};
    std::map<std::vector<std::uint32_t>, std::uint32_t> identities_ = {};
    std::vector<SequencePart> parts_ = {};
    std::vector<std::size_t> first_ = {};
};

// The outermost of nested marks, such as a profiler's step around a loop's.
std::vector<MarkedIteration> outermost(std::vector<MarkedIteration> marks) {
    std::ranges::sort(marks, {},
                      [](const MarkedIteration& one) { return std::pair(one.first, -one.second); });
    std::vector<MarkedIteration> outer;
    for (const MarkedIteration& one : marks) {
        if (outer.empty() || one.second > outer.back().second) {
            outer.push_back(one);
        }
    }
    return outer;
}

const char* sentence_of(RoundEvidence evidence) {
    switch (evidence) {
        case RoundEvidence::gaps:
            return "by the gaps in time between them";
        case RoundEvidence::training:
            return "because this many forward passes follow a training step";
        case RoundEvidence::graphs:
            return "by the repeated launches of a graph";
        case RoundEvidence::recurrence:
            break;
    }
    return "because the recording consists of this many equal rounds from its first operator on "
           "(if they are equal blocks of one iteration, give --iterations 1)";
}

class Divider {
public:
    Divider(const RecordedProfile& recording, std::optional<std::int64_t> asked)
        : recording_(recording), asked_(asked) {}

    RecordedIterations divide() {
        result_.of_operator.resize(recording_.operators.size());
        if (recording_.is_summary) {
            keep_whole();
        } else if (asked_) {
            divide_as_asked();
        } else if (!recording_.iterations.empty() && divide_by_marks()) {
            result_.how = "marked by the tool";
        } else {
            divide_by_evidence();
        }
        measure();
        return std::move(result_);
    }

private:
    // Two rows of one kernel are two kinds of its calls, not two iterations.
    void keep_whole() {
        if (asked_.value_or(1) != 1) {
            throw Error(
                "the file is a summary, which does not separate iterations; leave out --iterations",
                ExitCode::usage);
        }
        const OperatorSequence sequence(recording_);
        divide_by({.begins = {0}, .end = sequence.parts().size()}, sequence);
        result_.how = "because the file is a summary of everything that ran";
    }

    void divide_as_asked() {
        const OperatorSequence sequence(recording_);
        const auto rounds =
            rounds_in(sequence.parts(), recording_.has_starts, static_cast<std::size_t>(*asked_));
        if (!rounds) {
            throw Error(
                fmt::format(
                    "{} operators are not {} equal iterations, and neither the first operator nor "
                    "a gap in time occurs as often; leave out --iterations or correct it",
                    recording_.operators.size(), *asked_),
                ExitCode::usage);
        }
        divide_by(*rounds, sequence);
        result_.how = "as asked";
    }

    void divide_by_evidence() {
        const OperatorSequence sequence(recording_);
        if (const auto rounds = rounds_in(sequence.parts(), recording_.has_starts)) {
            divide_by(*rounds, sequence);
            result_.how = sentence_of(rounds->evidence);
            return;
        }
        divide_by({.begins = {0}, .end = sequence.parts().size()}, sequence);
        result_.how =
            "because nothing marks several, no gap separates them, and the first operator does not "
            "recur with everything that follows it (give --iterations if there are more)";
    }

    void divide_by(const Rounds& rounds, const OperatorSequence& sequence) {
        result_.count = rounds.begins.size();
        for (std::size_t i = 0; i < rounds.begins.size(); ++i) {
            const std::size_t next =
                i + 1 < rounds.begins.size() ? rounds.begins[i + 1] : rounds.end;
            for (std::size_t one = sequence.first_of(rounds.begins[i]);
                 one < sequence.first_of(next); ++one) {
                result_.of_operator[one] = i;
            }
        }
    }

    // False if no operator lies within a mark. Marks without operators are not iterations.
    bool divide_by_marks() {
        const std::vector<MarkedIteration> marks = outermost(recording_.iterations);
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

    // A device's iteration lasts from its first span to its last one, even if the host marked
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

// SPDX-License-Identifier: MIT
#include "sweep/ranks.h"

#include "base/error.h"
#include "base/text.h"
#include "store/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace strata {

namespace {

using MonotonicClock = std::chrono::steady_clock;

constexpr Seconds between_beats{1};
constexpr Seconds until_a_rank_is_started{600};

Seconds since(MonotonicClock::time_point moment) {
    return Seconds{std::chrono::duration<double>(MonotonicClock::now() - moment).count()};
}

bool is_dead_here(const std::string& process) {
    return host_of(process) == host_name() && !is_alive(process);
}

}  // namespace

std::string host_of(const std::string& process) {
    return process.substr(0, process.find('/'));
}

std::string text_of(const RankIntroduction& introduction) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", introduction.process, introduction.sweep,
                       places_text(introduction.processors), introduction.workers,
                       places_text(introduction.settled), introduction.database);
}

std::optional<RankIntroduction> parse_introduction(std::string_view text, std::int64_t count) {
    std::vector<std::string_view> lines;
    for (int i = 0; i < 5; ++i) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    constexpr std::int64_t max_processors = 1 << 20;
    auto processors = parse_places(lines[2], max_processors);
    const auto workers = parse_integer(lines[3]);
    auto settled = parse_places(lines[4], count);
    if (!processors || !workers || *workers < 0 || *workers > max_processors || !settled) {
        return std::nullopt;
    }
    return RankIntroduction{.process = std::string(lines[0]),
                            .sweep = std::string(lines[1]),
                            .processors = std::move(*processors),
                            .workers = static_cast<int>(*workers),
                            .settled = std::move(*settled),
                            .database = std::string(text)};
}

std::string KnownRank::name(std::size_t rank) const {
    return introduction
               ? fmt::format("rank {} on {}", rank, printable(host_of(introduction->process)))
               : fmt::format("rank {}", rank);
}

std::vector<int> workers_of(const std::vector<KnownRank>& ranks) {
    using Place = std::pair<std::string, std::vector<std::int64_t>>;
    std::map<Place, std::vector<std::size_t>> sharing;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (const auto& known = ranks[rank].introduction) {
            sharing[{host_of(known->process), known->processors}].push_back(rank);
        }
    }
    std::vector<int> workers(ranks.size());
    for (const auto& [place, members] : sharing) {
        const std::size_t processors = place.second.size();
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::size_t share =
                processors / members.size() + (i < processors % members.size() ? 1 : 0);
            const int chosen = ranks[members[i]].introduction->workers;
            workers[members[i]] =
                chosen > 0 ? chosen : static_cast<int>(std::max<std::size_t>(share, 1));
        }
    }
    return workers;
}

SweepManager::SweepManager(Communicator& communicator, RankIntroduction own, std::int64_t count,
                           std::int64_t max_at_once, ManagerHooks hooks, RankPatience patience)
    : communicator_(communicator),
      hooks_(std::move(hooks)),
      patience_(patience),
      count_(count),
      ledger_(std::vector<bool>(static_cast<std::size_t>(count)), communicator.size(), max_at_once),
      ranks_(static_cast<std::size_t>(communicator.size())) {
    ledger_.settle(0, own.settled);
    ranks_.front().introduction = std::move(own);
    for (KnownRank& rank : ranks_) {
        rank.heard = MonotonicClock::now();
    }
}

void SweepManager::gather() {
    const auto begin = MonotonicClock::now();
    const auto is_missing = [](const KnownRank& rank) {
        return !rank.introduction && !rank.is_gone();
    };
    while (std::ranges::any_of(ranks_, is_missing) && since(begin) < patience_.arrival &&
           !hooks_.is_stopped()) {
        if (const auto message = communicator_.receive(patience_.message)) {
            hear(*message);
        }
        look_after_ranks();
    }
}

void SweepManager::run(WorkQueue& own) {
    has_begun_ = true;
    const auto workers = workers_of(ranks_);
    ledger_.share_among(std::reduce(workers.begin(), workers.end(), std::int64_t{0}));
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].introduction && !ranks_[rank].is_gone()) {
            communicator_.send(static_cast<int>(rank), says_welcome, std::to_string(workers[rank]));
        }
    }
    for (std::int64_t told = -1; !ledger_.is_complete() && !hooks_.is_stopped();) {
        const bool is_urgent = own.is_dry() || ledger_.is_ending();
        if (const auto message = communicator_.receive(patience_.before_message(is_urgent))) {
            hear(*message);
        }
        serve(own);
        hand_out();
        look_after_ranks();
        if (told != ledger_.left()) {
            told = ledger_.left();
            hooks_.progress(told);
        }
    }
    own.end();
    const bool is_complete = ledger_.is_complete();
    say_farewell(is_complete ? says_end : says_stop, is_complete ? patience_.farewell : Seconds{5});
}

void SweepManager::hear(const RankMessage& message) {
    KnownRank& rank = ranks_.at(static_cast<std::size_t>(message.from));
    const bool was_gone = rank.is_gone();
    rank.has_said_bye = rank.has_said_bye || message.kind == says_bye;
    if (was_gone) {
        if (!rank.has_said_bye) {
            communicator_.send(message.from, says_stop,
                               {});  // it is alive, but was silent for too long
        }
        return;
    }
    rank.heard = MonotonicClock::now();
    if (message.kind == says_hello) {
        meet(message.from, message.bytes);
    } else if (message.kind == says_settled) {
        note_settled(message.from, message.bytes);
    } else if (message.kind == says_want) {
        rank.wanted += static_cast<std::size_t>(
            std::clamp<std::int64_t>(parse_integer(message.bytes).value_or(0), 0, count_));
    } else if (message.kind == says_bye && !message.bytes.empty()) {
        lose(message.from, printable(message.bytes, 1000));
    } else if (message.kind == says_bye) {
        ledger_.release(message.from);
    }
}

void SweepManager::meet(int rank, const std::string& text) {
    KnownRank& known = ranks_.at(static_cast<std::size_t>(rank));
    known.introduction = parse_introduction(text, count_);
    const std::string& own = ranks_.front().introduction->sweep;
    if (!known.introduction || known.introduction->sweep != own) {
        lose(rank, "its grid or its strata differs; give all hosts the same file and program");
        communicator_.send(rank, says_stop, {});
        return;
    }
    ledger_.settle(rank, known.introduction->settled);
    if (has_begun_) {
        const auto workers = workers_of(ranks_);
        communicator_.send(rank, says_welcome,
                           std::to_string(workers.at(static_cast<std::size_t>(rank))));
    }
}

void SweepManager::note_settled(int rank, const std::string& text) {
    if (const auto places = parse_places(text, count_)) {
        ledger_.settle(rank, *places);
    }
}

void SweepManager::serve(WorkQueue& own) {
    ledger_.settle(0, own.take_settled());
    for (std::size_t wanted = own.wanted(); wanted > 0; --wanted) {
        auto places = ledger_.take(0);
        if (places.empty()) {
            return;
        }
        own.give(std::move(places));
    }
}

void SweepManager::hand_out() {
    for (std::size_t i = 1; i < ranks_.size(); ++i) {
        const int rank = static_cast<int>(i);
        for (KnownRank& known = ranks_[i]; known.wanted > 0 && !known.is_gone(); --known.wanted) {
            const auto places = ledger_.take(rank);
            if (places.empty()) {
                break;
            }
            communicator_.send(rank, says_work, places_text(places));
        }
    }
}

// Sends this rank's heartbeat, and checks the others'.
void SweepManager::look_after_ranks() {
    if (since(beat_) < between_beats) {
        return;
    }
    beat_ = MonotonicClock::now();
    broadcast(says_alive, ranks_.front().introduction->process);
    for (std::size_t i = 1; i < ranks_.size(); ++i) {
        KnownRank& known = ranks_[i];
        if (known.is_gone() || !known.introduction) {
            continue;
        }
        if (is_dead_here(known.introduction->process)) {
            lose(static_cast<int>(i), "its process has died");
        } else if (since(known.heard) > patience_.silence) {
            lose(static_cast<int>(i),
                 fmt::format("it sent nothing for {:.0f} s", patience_.silence.value));
        }
    }
}

void SweepManager::lose(int rank, const std::string& why) {
    KnownRank& known = ranks_.at(static_cast<std::size_t>(rank));
    known.trouble = why;
    known.released = ledger_.release(rank);
    hooks_.tell(fmt::format("{} is lost ({}); the others take over {} points",
                            known.name(static_cast<std::size_t>(rank)), why, known.released));
}

void SweepManager::broadcast(int kind, const std::string& bytes) {
    for (std::size_t i = 1; i < ranks_.size(); ++i) {
        if (!ranks_[i].is_gone()) {
            communicator_.send(static_cast<int>(i), kind, bytes);
        }
    }
}

void SweepManager::say_farewell(int kind, Seconds patience) {
    const auto is_lost = [](const KnownRank& rank) {
        return !rank.trouble.empty() && !rank.has_said_bye;
    };
    broadcast(kind, std::ranges::any_of(ranks_, is_lost) ? "some are lost" : "");
    const auto begin = MonotonicClock::now();
    const auto is_here = [](const KnownRank& rank) { return rank.introduction && !rank.is_gone(); };
    while (std::any_of(ranks_.begin() + 1, ranks_.end(), is_here) && since(begin) < patience) {
        if (const auto message = communicator_.receive(patience_.message)) {
            hear(*message);
        }
        look_after_ranks();
    }
    if (!std::all_of(ranks_.begin() + 1, ranks_.end(), std::mem_fn(&KnownRank::has_said_bye))) {
        communicator_.give_up_on_others();
    }
}

void dismiss_ranks(Communicator& communicator) {
    for (int rank = 1; rank < communicator.size(); ++rank) {
        communicator.send(rank, says_stop, {});
    }
}

SweepMember::SweepMember(Communicator& communicator, std::int64_t count, RankPatience patience)
    : communicator_(communicator), count_(count), patience_(patience) {}

std::optional<int> SweepMember::join(const RankIntroduction& own) {
    communicator_.send(0, says_hello, text_of(own));
    while (!is_manager_gone()) {
        const auto message = communicator_.receive(patience_.message);
        if (!message) {
            continue;
        }
        heard_ = MonotonicClock::now();
        if (message->kind == says_alive) {
            manager_ = message->bytes;
        } else if (message->kind == says_welcome) {
            return static_cast<int>(parse_integer(message->bytes).value_or(1));
        } else if (message->kind == says_stop) {
            return std::nullopt;
        }
    }
    communicator_.give_up_on_others();
    return std::nullopt;
}

bool SweepMember::is_manager_gone() const {
    const Seconds silent = since(heard_);
    if (manager_.empty()) {
        return silent > until_a_rank_is_started;
    }
    return silent > patience_.silence || (silent > 2 * between_beats && is_dead_here(manager_));
}

// Reports settled places, missing portions, and a heartbeat.
void SweepMember::report(WorkQueue& queue) {
    if (const auto settled = queue.take_settled(); !settled.empty()) {
        communicator_.send(0, says_settled, places_text(settled));
    }
    if (const std::size_t wanted = queue.wanted(); wanted > asked_for_) {
        communicator_.send(0, says_want, std::to_string(wanted - asked_for_));
        asked_for_ = wanted;
    }
    if (since(beat_) > between_beats) {
        beat_ = MonotonicClock::now();
        communicator_.send(0, says_alive, {});
    }
}

bool SweepMember::run(WorkQueue& queue, const std::function<bool()>& is_stopped) {
    bool goes_on = true, is_alone = false;
    while (goes_on && !is_alone && !is_stopped()) {
        report(queue);
        if (const auto message = communicator_.receive(patience_.before_message(queue.is_dry()))) {
            heard_ = MonotonicClock::now();
            goes_on = heed(*message, queue);
        } else {
            is_alone = is_manager_gone();
        }
    }
    queue.end();
    if (is_alone) {
        communicator_.give_up_on_others();
    }
    return !is_alone;
}

// False at the end.
bool SweepMember::heed(const RankMessage& message, WorkQueue& queue) {
    if (message.kind == says_alive) {
        manager_ = message.bytes;
    } else if (message.kind == says_work) {
        asked_for_ -= std::min<std::size_t>(asked_for_, 1);
        if (auto places = parse_places(message.bytes, count_)) {
            queue.give(std::move(*places));
        }
    } else if (message.kind == says_end || message.kind == says_stop) {
        if (!message.bytes.empty()) {
            communicator_.give_up_on_others();
        }
        return false;
    }
    return true;
}

void SweepMember::leave(WorkQueue& queue, const std::string& trouble) {
    if (const auto settled = queue.take_settled(); !settled.empty()) {
        communicator_.send(0, says_settled, places_text(settled));
    }
    communicator_.send(0, says_bye, trouble);
}

}  // namespace strata

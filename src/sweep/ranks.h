// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "scale/communicator.h"
#include "sweep/ledger.h"
#include "sweep/work_queue.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A sweep that several ranks share. Rank 0 hands out its points and works on them, too; every rank
// stores into a database of its own. A point is settled when it is stored, so what a rank had not
// stored when it died is done by others.
namespace strata {

// What ranks say. From rank 0:
inline constexpr int says_welcome = 0;  // you have so many workers
inline constexpr int says_work = 1;     // these places
inline constexpr int says_end = 2;      // all is settled; with text: and some ranks are lost
inline constexpr int says_stop = 3;     // end early; likewise
// To rank 0:
inline constexpr int says_hello = 4;    // an introduction
inline constexpr int says_want = 5;     // so many portions
inline constexpr int says_settled = 6;  // these places
inline constexpr int says_bye = 7;      // nothing, or why it ends early
// Either way:
inline constexpr int says_alive = 8;  // its process

// What a rank says of itself when it comes.
struct RankIntroduction {
    std::string process;                   // this_process() (store/owner.h)
    std::string sweep;                     // key of the sweep that it has read
    std::vector<std::int64_t> processors;  // that it may use, ascending
    int workers = 0;                       // of its own choice; 0: one on each of its share of them
    std::vector<std::int64_t> settled;     // places that its own database has
    std::string database;                  // its path
};

std::string text_of(const RankIntroduction& introduction);
// Nothing where it is none of a sweep of so many points.
std::optional<RankIntroduction> parse_introduction(std::string_view text, std::int64_t count);

// The host in a process's name.
std::string host_of(const std::string& process);

// How long ranks wait for each other.
struct RankPatience {
    Seconds arrival{60};  // for the last rank to come
    Seconds silence{
        60};  // before a rank counts as dead; on rank 0's host its death is seen at once
    Seconds farewell{60};   // for the last words of a rank that has nothing more to do
    Seconds message{0.02};  // before it looks at its own work again; a tenth where that waits

    Seconds before_message(bool is_urgent) const { return is_urgent ? 0.1 * message : message; }
};

// A rank as rank 0 knows it.
struct KnownRank {
    std::optional<RankIntroduction> introduction = {};  // none: it has not come
    std::size_t wanted = 0;                             // portions that it waits for
    bool has_said_bye = false;                          // with all that it did stored
    std::string trouble = {};                           // why it is gone early; empty: it is not
    std::int64_t released = 0;                          // places that others then took over
    std::chrono::steady_clock::time_point heard = {};

    bool is_gone() const { return has_said_bye || !trouble.empty(); }
    // "rank 3 on node7"
    std::string name(std::size_t rank) const;
};

// How many work at a time in each rank: as many as it says, or one on each of its share of the
// processors, which ranks that may use the same ones on one host divide. At least one; 0 for a rank
// that has not come.
std::vector<int> workers_of(const std::vector<KnownRank>& ranks);

// What rank 0 does around the handing out.
struct ManagerHooks {
    std::function<bool()> is_stopped = [] { return false; };
    std::function<void(const std::string& sentence)> tell = [](const std::string&) {};  // of losses
    std::function<void(std::int64_t left)> progress = [](std::int64_t) {};
};

// Rank 0 of a shared sweep.
class SweepManager {
public:
    // `own` is its introduction. Nobody gets more than `most_at_once` points at a time.
    SweepManager(Communicator& communicator, RankIntroduction own, std::int64_t count,
                 std::int64_t most_at_once, ManagerHooks hooks, RankPatience patience = {});

    // Until all ranks have come, or one takes too long; it may still come later. One that has read
    // another sweep is sent away. What their databases have is settled.
    void gather();

    // Tells the others how many workers they have, then hands out until every place is
    // settled and all others have left, or until it is stopped. Serves `own`, this rank's queue,
    // and ends it.
    void run(WorkQueue& own);

    const std::vector<KnownRank>& ranks() const { return ranks_; }
    std::int64_t left() const { return ledger_.left(); }  // places without an outcome
    bool is_settled(std::int64_t place) const { return ledger_.is_settled(place); }

private:
    void hear(const RankMessage& message);
    void meet(int rank, const std::string& text);
    void note_settled(int rank, const std::string& text);
    void serve(WorkQueue& own);
    void hand_out();
    void look_after_ranks();
    void lose(int rank, const std::string& why);
    void broadcast(int kind, const std::string& bytes = {});
    void say_farewell(int kind, Seconds patience);

    Communicator& communicator_;
    ManagerHooks hooks_;
    RankPatience patience_;
    std::int64_t count_;
    WorkLedger ledger_;
    std::vector<KnownRank> ranks_;
    bool has_begun_ = false;
    std::chrono::steady_clock::time_point beat_ = {};  // when it last said that it lives
};

// Ends all other ranks, where rank 0 cannot go on.
void dismiss_ranks(Communicator& communicator);

// Any other rank of a shared sweep of so many points.
class SweepMember {
public:
    SweepMember(Communicator& communicator, std::int64_t count, RankPatience patience = {});

    // Introduces itself. How many workers it has; nothing where rank 0 has sent it away, or
    // is gone.
    std::optional<int> join(const RankIntroduction& own);

    // Fills the queue with what rank 0 hands out, until all is settled, rank 0 is gone, or
    // `is_stopped`; then ends the queue. False where rank 0 is gone.
    bool run(WorkQueue& queue, const std::function<bool()>& is_stopped);

    // Its last words, when its work has ended: what was settled last, and why it ended early.
    void leave(WorkQueue& queue, const std::string& trouble = {});

private:
    bool is_manager_gone() const;
    void report(WorkQueue& queue);
    bool heed(const RankMessage& message, WorkQueue& queue);

    Communicator& communicator_;
    std::int64_t count_;
    RankPatience patience_;
    std::string manager_;        // its process; empty: not heard yet
    std::size_t asked_for_ = 0;  // portions that have not come yet
    std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point beat_ = {};
};

}  // namespace strata

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

// A sweep shared by several ranks. Rank 0 hands out points and also works on them; every rank
// stores into its own database. A point is settled when it is stored, so others redo what a dead
// rank had not stored.
namespace strata {

// The kinds of messages. From rank 0:
inline constexpr int says_welcome = 0;  // the number of workers
inline constexpr int says_work = 1;     // these places
inline constexpr int says_end = 2;      // all is settled; with text: some ranks are lost
inline constexpr int says_stop = 3;     // end early; likewise
// To rank 0:
inline constexpr int says_hello = 4;    // an introduction
inline constexpr int says_want = 5;     // the number of portions
inline constexpr int says_settled = 6;  // these places
inline constexpr int says_bye = 7;      // empty, or why it ends early
// Either way:
inline constexpr int says_alive = 8;  // its process

// A rank's introduction when it joins.
struct RankIntroduction {
    std::string process;                   // this_process() (store/owner.h)
    std::string sweep;                     // key of the sweep that it read
    std::vector<std::int64_t> processors;  // that it may use, ascending
    int workers = 0;                       // its own choice; 0: one for each processor of its share
    std::vector<std::int64_t> settled;     // places that its own database has
    std::string database;                  // its path
};

std::string text_of(const RankIntroduction& introduction);
// Empty if it is not valid for a sweep of that many points.
std::optional<RankIntroduction> parse_introduction(std::string_view text, std::int64_t count);

// The host in a process's name.
std::string host_of(const std::string& process);

// How long ranks wait for each other.
struct RankPatience {
    Seconds arrival{60};  // for the last rank to join
    Seconds silence{
        60};  // silence before a rank counts as dead; on rank 0's host its death is seen at once
    Seconds farewell{60};   // for the last words of a rank that has nothing more to do
    Seconds message{0.02};  // before a rank looks at its own work again; a tenth if that waits

    Seconds before_message(bool is_urgent) const { return is_urgent ? 0.1 * message : message; }
};

// A rank as rank 0 knows it.
struct KnownRank {
    std::optional<RankIntroduction> introduction = {};  // none: it has not joined
    std::size_t wanted = 0;                             // portions that it is waiting for
    bool has_said_bye = false;                          // all its work is stored
    std::string trouble = {};                           // why it left early; empty if it did not
    std::int64_t released = 0;                          // places that others then took over
    std::chrono::steady_clock::time_point heard = {};

    bool is_gone() const { return has_said_bye || !trouble.empty(); }
    // "rank 3 on node7"
    std::string name(std::size_t rank) const;
};

// The number of workers of each rank: its own choice, or one for each processor of its share; ranks
// that may use the same processors of a host divide them. At least one; 0 for a rank that has not
// joined.
std::vector<int> workers_of(const std::vector<KnownRank>& ranks);

// Callbacks of rank 0 while it hands out work.
struct ManagerHooks {
    std::function<bool()> is_stopped = [] { return false; };
    std::function<void(const std::string& sentence)> tell = [](const std::string&) {};  // of losses
    std::function<void(std::int64_t left)> progress = [](std::int64_t) {};
};

// Rank 0 of a shared sweep.
class SweepManager {
public:
    // `own` is its introduction. No rank gets more than `max_at_once` points at a time.
    SweepManager(Communicator& communicator, RankIntroduction own, std::int64_t count,
                 std::int64_t max_at_once, ManagerHooks hooks, RankPatience patience = {});

    // Waits until all ranks have joined, or one takes too long; it may still join later. A rank
    // with another sweep is sent away. Points in their databases are settled.
    void gather();

    // Tells the others how many workers they have, then hands out places until all are settled and
    // all others have left, or until it is stopped. Serves `own`, this rank's queue, and ends it.
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
    std::chrono::steady_clock::time_point beat_ = {};  // time of its last heartbeat
};

// Ends all other ranks if rank 0 cannot continue.
void dismiss_ranks(Communicator& communicator);

// Any other rank of a shared sweep.
class SweepMember {
public:
    SweepMember(Communicator& communicator, std::int64_t count, RankPatience patience = {});

    // Introduces itself and returns its number of workers; empty if rank 0 sent it away or is gone.
    std::optional<int> join(const RankIntroduction& own);

    // Fills the queue with what rank 0 hands out, until all is settled, rank 0 is gone, or
    // `is_stopped`; then ends the queue. False if rank 0 is gone.
    bool run(WorkQueue& queue, const std::function<bool()>& is_stopped);

    // Says goodbye when its work has ended: what was settled last, and why it ended early.
    void leave(WorkQueue& queue, const std::string& trouble = {});

private:
    bool is_manager_gone() const;
    void report(WorkQueue& queue);
    bool heed(const RankMessage& message, WorkQueue& queue);

    Communicator& communicator_;
    std::int64_t count_;
    RankPatience patience_;
    std::string manager_;        // its process; empty: not heard from yet
    std::size_t asked_for_ = 0;  // portions that have not arrived yet
    std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point beat_ = {};
};

}  // namespace strata

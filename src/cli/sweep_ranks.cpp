// SPDX-License-Identifier: MIT
#include "cli/sweep_ranks.h"

#include "base/output.h"
#include "base/processors.h"
#include "base/text.h"
#include "cli/measuring.h"
#include "cli/sweep_worker.h"
#include "record/identity.h"
#include "scale/communicator.h"
#include "store/merge.h"
#include "store/owner.h"
#include "store/sweeps.h"
#include "sweep/measured.h"
#include "sweep/plan.h"
#include "sweep/ranks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <exception>
#include <map>
#include <memory>
#include <numeric>
#include <thread>

namespace strata {

namespace {

namespace fs = std::filesystem;

// For small networks these take 40 ms, longer than a rank goes without checking for messages.
constexpr std::int64_t max_predicted_at_once = 512;
constexpr std::int64_t max_measured_at_once = 8;

// A folder that only this user can write to; the folder for temporary files is shared.
fs::path own_temporary_folder() {
    const fs::path folder = fs::temp_directory_path() / fmt::format("strata-{}", ::geteuid());
    ::mkdir(folder.c_str(), S_IRWXU);
    struct stat status = {};
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        throw Error(
            fmt::format("{} is not a private folder of this user; give another with --local",
                        printable(folder.string(), 400)));
    }
    return folder;
}

// The database of a rank. Its name contains the sweep and the database to join it into.
fs::path database_of_rank(const RankedSweep& call, int rank) {
    const fs::path folder = call.folder.empty() ? own_temporary_folder() : fs::path(call.folder);
    const std::string key =
        key_of(identity_of(call.spec) + fs::absolute(call.database).lexically_normal().string());
    return folder / fmt::format("{}-{}-rank{}.sqlite", file_name_of(call.spec), key, rank);
}

StoredSweep stored_sweep(const RankedSweep& call, const Database& database) {
    return StoredSweep::open(database, call.spec.name, identity_of(call.spec),
                             count_points(call.spec));
}

// Places are positions in the grid or, for measurements, in the order of measurement.
class Places {
public:
    explicit Places(const SweepSpec& spec)
        : is_predicted_(spec.is_predicted()), order_(count_points(spec), spec.seed) {}

    std::int64_t position(std::int64_t place) const {
        return is_predicted_ ? place : order_.at(place);
    }
    // The places whose position is finished.
    std::vector<std::int64_t> among(const std::vector<bool>& finished) const {
        std::vector<std::int64_t> places;
        for (std::int64_t place = 0; place < order_.count(); ++place) {
            if (finished.at(static_cast<std::size_t>(position(place)))) {
                places.push_back(place);
            }
        }
        return places;
    }

private:
    bool is_predicted_;
    ShuffledOrder order_;
};

RankIntroduction introduction_of(const RankedSweep& call, const fs::path& file) {
    const Database database = Database::open(file);
    const auto& processors = allowed_processors();
    return {.process = this_process(),
            .sweep = key_of(identity_of(call.spec)),
            .processors = {processors.begin(), processors.end()},
            .workers = call.spec.is_predicted() ? call.cores.value_or(0) : 1,
            .settled = Places(call.spec).among(stored_sweep(call, database).finished()),
            .database = fs::absolute(file).string()};
}

void measure_portions(const RankedSweep& call, const fs::path& file, WorkQueue& queue) {
    const Places places(call.spec);
    std::int64_t before = 0;
    for (auto portion = queue.take(); !portion.empty(); portion = queue.take()) {
        std::map<std::int64_t, std::int64_t> place_of;  // by position
        for (const std::int64_t place : portion) {
            place_of[places.position(place)] = place;
        }
        auto words = call.arguments(file);
        words.insert(words.begin() + 1,
                     {"--places", fmt::format("{}:{}", before, places_text(portion))});
        const ExitCode code = measure_by_worker(
            {.spec = call.spec,
             .open = static_cast<std::int64_t>(portion.size()),
             .database = file,
             .arguments = std::move(words),
             .point_ends = [&](std::int64_t at) { queue.settle({place_of.at(at)}); }});
        if (code == ExitCode::interrupted) {
            return;
        }
        queue.settle(portion);  // those that already had an outcome
        before += static_cast<std::int64_t>(portion.size());
    }
}

// The thread that works on a rank's points.
class RankWork {
public:
    RankWork(const RankedSweep& call, fs::path file, int workers, WorkQueue& queue)
        : queue_(queue), thread_([&call, file = std::move(file), workers, &queue, this] {
              try {
                  if (call.spec.is_predicted()) {
                      predict_sweep(call.spec, {}, Database::open(file),
                                    {.threads = workers, .steps = call.steps, .work = &queue});
                  } else {
                      measure_portions(call, file, queue);
                  }
              } catch (...) {
                  trouble_ = std::current_exception();
                  has_failed_ = true;
              }
          }) {}

    RankWork(const RankWork&) = delete;
    RankWork& operator=(const RankWork&) = delete;
    ~RankWork() { queue_.end(); }

    bool has_failed() const { return has_failed_; }
    // Waits for its end. Rethrows the exception that ended it early, if any.
    void finish() {
        thread_.join();
        if (trouble_) {
            std::rethrow_exception(trouble_);
        }
    }

private:
    WorkQueue& queue_;
    std::atomic<bool> has_failed_{false};
    std::exception_ptr trouble_;
    std::jthread thread_;  // last member: it uses the others
};

// Predicting threads find the next portions waiting; a measuring one asks when it has none.
std::size_t portions_ahead(const RankedSweep& call, int workers) {
    return call.spec.is_predicted() ? 2 * static_cast<std::size_t>(workers) : 0;
}

RankPatience patience_of(const RankedSweep& call) {
    RankPatience patience;
    patience.message = call.spec.is_predicted() ? patience.message : Seconds{0.1};
    return patience;
}

ExitCode sweep_as_member(const RankedSweep& call, Communicator& communicator) {
    SweepMember member(communicator, count_points(call.spec), patience_of(call));
    const int rank = communicator.rank();
    WorkQueue queue;
    try {
        const fs::path file = database_of_rank(call, rank);
        const auto workers = member.join(introduction_of(call, file));
        if (!workers) {
            return ExitCode::done;  // rank 0 has printed why
        }
        queue.keep_ahead(portions_ahead(call, *workers));
        RankWork work(call, file, *workers, queue);
        const bool is_heard =
            member.run(queue, [&] { return InterruptGuard::requested() || work.has_failed(); });
        work.finish();
        if (!is_heard) {
            say("rank 0 is gone; rank {} stops, and its results are in {}: the same command "
                "continues",
                rank, file.string());
            return ExitCode::failed;
        }
        member.leave(queue, InterruptGuard::requested() ? "it was interrupted" : "");
    } catch (const Error& error) {
        member.leave(queue, error.what());
    }
    return ExitCode::done;
}

void remove_database(const fs::path& file) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"}) {
        fs::remove(fs::path(file) += suffix, ignored);
    }
}

// Merges a rank's database and deletes it; does nothing if it does not exist.
void join_database(const Database& into, const fs::path& file) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
        return;
    }
    try {
        merge_database(into, file);
        remove_database(file);
    } catch (const Error& error) {
        say("{}", error.what());
    }
}

// Joins files of ranks from an earlier start that are not part of this one.
void join_leftovers(const RankedSweep& call, const Database& into, int first) {
    std::error_code ignored;
    for (int rank = first; fs::exists(database_of_rank(call, rank), ignored); ++rank) {
        join_database(into, database_of_rank(call, rank));
    }
}

// Joins the ranks' databases, except that of a rank that may still be alive.
void join_ranks(const Database& into, const std::vector<KnownRank>& ranks) {
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
        const auto& known = ranks[rank].introduction;
        const bool is_here = known && host_of(known->process) == host_name();
        if (known && (ranks[rank].has_said_bye || (is_here && !is_alive(known->process)))) {
            join_database(into, known->database);
        }
    }
}

// Prints how to join what rank 0 could not.
void print_unjoined(const RankedSweep& call, const Database& database,
                    const std::vector<KnownRank>& ranks) {
    const auto finished = stored_sweep(call, database).finished();
    const auto missing = std::ranges::count(finished, false);
    if (missing == 0) {
        return;
    }
    print_output(
        "{} points are in databases that cannot be reached from here; copy them, then strata "
        "merge FILE... --database {}\n",
        missing, call.database.string());
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
        const auto& known = ranks[rank].introduction;
        std::error_code ignored;
        if (known &&
            (host_of(known->process) != host_name() || fs::exists(known->database, ignored))) {
            print_output("  {}:{}\n", printable(host_of(known->process)),
                         printable(known->database, 1000));
        }
    }
}

void print_plan(const RankedSweep& call, const SweepManager& manager) {
    const auto workers = workers_of(manager.ranks());
    const int threads = std::reduce(workers.begin(), workers.end());
    const Places places(call.spec);
    std::vector<bool> finished(static_cast<std::size_t>(count_points(call.spec)));
    for (std::size_t place = 0; place < finished.size(); ++place) {
        finished[static_cast<std::size_t>(places.position(static_cast<std::int64_t>(place)))] =
            manager.is_settled(static_cast<std::int64_t>(place));
    }
    write_output(text_of(plan_of(call.spec, {}, finished, threads, call.steps), call.spec, {}));
    print_output("ranks: {}{}\n", workers.size(),
                 call.spec.is_predicted() ? fmt::format(", {} threads", threads) : "");
}

void print_rate(const RankedSweep& call, const SweepManager& manager, std::int64_t done,
                Seconds time) {
    const auto gone = std::ranges::count_if(
        manager.ranks(), [](const KnownRank& rank) { return !rank.trouble.empty(); });
    print_output(
        "{}: {} points in {}, {:.4g} points/s by {} ranks{}\n", call.spec.name, done,
        duration_text(time), static_cast<double>(done) / time.value, manager.ranks().size(),
        gone == 0 ? "" : fmt::format("; ranks lost: {}; others took over their points", gone));
}

// Rank 0: hands out places, and works on its own.
ExitCode hand_out(const RankedSweep& call, std::unique_ptr<Communicator>& communicator) {
    join_leftovers(call, Database::open(call.database), communicator->size());
    ProgressLine line;
    std::optional<PointRate> rate;
    std::int64_t open = 0;
    WorkQueue queue;
    std::optional<RankWork> work;
    SweepManager manager(
        *communicator, introduction_of(call, call.database), count_points(call.spec),
        call.spec.is_predicted() ? max_predicted_at_once : max_measured_at_once,
        {.is_stopped = [&] { return InterruptGuard::requested() || (work && work->has_failed()); },
         .tell = [](const std::string& sentence) { say("{}", sentence); },
         .progress =
             [&](std::int64_t left) {
                 line.show("sweep " + call.spec.name,
                           static_cast<double>(open - left) / static_cast<double>(open),
                           rate->text(open - left, left));
             }},
        patience_of(call));
    manager.gather();
    print_plan(call, manager);
    open = manager.left();
    const int workers = workers_of(manager.ranks()).front();
    queue.keep_ahead(portions_ahead(call, workers));
    const auto begin = std::chrono::steady_clock::now();
    rate.emplace();
    work.emplace(call, call.database, workers, queue);
    manager.run(queue);
    work->finish();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (manager.left() > 0) {
        return ExitCode::interrupted;
    }
    communicator.reset();  // lets the others end
    if (open > 0) {
        print_rate(call, manager, open, Seconds{time.count()});
    }
    const Database database = Database::open(call.database);
    const auto joining = std::chrono::steady_clock::now();
    join_ranks(database, manager.ranks());
    const std::chrono::duration<double> joined = std::chrono::steady_clock::now() - joining;
    print_output("joining databases took {}\n", duration_text(Seconds{joined.count()}));
    print_unjoined(call, database, manager.ranks());
    return ExitCode::done;
}

}  // namespace

ExitCode sweep_by_ranks(const RankedSweep& call) {
    auto communicator = open_mpi();
    const InterruptGuard guard(InterruptGuard::patience_with_others);
    if (communicator->rank() > 0) {
        return sweep_as_member(call, *communicator);
    }
    try {
        return hand_out(call, communicator);
    } catch (...) {
        if (communicator) {
            dismiss_ranks(*communicator);
        }
        throw;
    }
}

std::string file_name_of(const SweepSpec& spec) {
    std::string file = "strata-" + spec.name;
    std::ranges::replace_if(
        file, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
    return file;
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "cli/sweep_worker.h"

#include "base/output.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/backends.h"
#include "store/sweeps.h"
#include "sweep/measured.h"
#include "sweep/plan.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

namespace strata {

namespace {

// What the worker tells, besides sentences: one JSON object in a line, as processes of frameworks
// answer. "begin" and "end" have the point's position and repeat; "turn" says that the wait for the
// machine is over.
void tell(const char* event, const StoredPoint& point = {}) {
    const nlohmann::json told = {
        {"event", event}, {"position", point.position}, {"repeat", point.repeat}};
    write_remark(told.dump() + "\n");
}

// The measuring process and what it is doing, from its messages.
class Worker {
public:
    explicit Worker(const WorkerCall& call)
        : spec_(call.spec),
          open_(std::max<std::int64_t>(call.open, 1)),
          point_ends_(call.point_ends),
          line_(point_ends_ ? nullptr : std::make_unique<ProgressLine>()) {}

    // Runs it once, until it ends.
    ProgramEnd run(const std::vector<std::string>& arguments) {
        point_.reset();
        late_.reset();
        return run_program({.file = "/proc/self/exe",
                            .arguments = arguments,
                            .hear = [this](const std::string& line) { hear(line); },
                            .is_stopped = [] { return InterruptGuard::requested().load(); },
                            .is_killed = [this] { return is_too_late(); }});
    }

    // The point at which it ended, if any.
    const std::optional<StoredPoint>& point() const { return point_; }
    bool was_ended() const { return late_.has_value(); }
    // Whether it was killed at that point, and not just after it.
    bool is_late() const {
        return late_ && point_ && late_->position == point_->position &&
               late_->repeat == point_->repeat;
    }
    const std::string& last_words() const { return last_words_; }

    void count_as_done() {
        ++done_;
        if (point_ends_) {
            point_ends_(point_->position);
            return;
        }
        line_->show("sweep " + spec_.name, static_cast<double>(done_) / static_cast<double>(open_),
                    rate_.text(done_, std::max<std::int64_t>(open_ - done_, 0)));
    }

private:
    void hear(const std::string& line) {
        const nlohmann::json told = nlohmann::json::parse(line, nullptr, false);
        if (told.is_object()) {
            return note(told);
        }
        if (line_ && line.starts_with("strata: waiting")) {
            write_remark(fmt::format("{}\n", line));
        }
        last_words_ = line;
    }

    void note(const nlohmann::json& told) {
        const nlohmann::json event = told.value("event", nlohmann::json());
        const auto number = [&](const char* key) {
            const nlohmann::json value = told.value(key, nlohmann::json());
            return value.is_number_integer() ? value.get<std::int64_t>() : 0;
        };
        if (event == "begin") {
            point_ = planned_point(spec_, number("position"), number("repeat"));
            began_.reset();
        } else if (event == "turn") {
            began_ = std::chrono::steady_clock::now();
        } else if (event == "end") {
            if (point_ && point_->repeat == 0) {
                count_as_done();
            }
            point_.reset();
        }
    }

    bool is_too_late() {
        if (point_ && began_ && spec_.limits.time) {
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - *began_;
            if (time.count() > spec_.limits.time->value) {
                late_ = point_;
            }
        }
        return late_.has_value();
    }

    const SweepSpec& spec_;
    std::int64_t open_;
    std::function<void(std::int64_t position)> point_ends_;
    std::int64_t done_ = 0;
    std::optional<StoredPoint> point_;
    std::optional<std::chrono::steady_clock::time_point> began_;  // when its time began
    std::optional<StoredPoint> late_;  // the point for which the process was killed
    std::string last_words_;
    PointRate rate_;
    std::unique_ptr<ProgressLine> line_;
};

// Stores the outcome of a point whose process ended before storing it.
void bury(const WorkerCall& call, const Worker& worker, const ProgramEnd& end) {
    const SweepSpec& spec = call.spec;
    StoredPoint point = *worker.point();
    point.outcome = worker.is_late() ? PointOutcome::timeout : PointOutcome::failed;
    point.reason =
        worker.is_late()
            ? fmt::format("it was ended after {} (--max-time)", duration_text(*spec.limits.time))
            : fmt::format("the process that measured it was killed by signal {} ({}){}", end.signal,
                          strsignal(end.signal),
                          end.signal == SIGKILL ? ", as the system does when memory runs out" : "");
    const Database database = Database::open(call.database);
    StoredSweep::open(database, spec.name, identity_of(spec), count_points(spec)).finish(point);
}

}  // namespace

std::string PointRate::text(std::int64_t done, std::int64_t left) const {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
    const double rate = static_cast<double>(done) / std::max(time.count(), 1e-9);
    return fmt::format("{:.3g} points/s, {} left", rate,
                       duration_text(Seconds{static_cast<double>(left) / rate}));
}

ExitCode measure_by_worker(const WorkerCall& call) {
    const InterruptGuard guard;
    Worker worker(call);
    while (true) {
        const ProgramEnd end = worker.run(call.arguments);
        if (InterruptGuard::requested()) {
            return ExitCode::interrupted;
        }
        if (end.signal == 0 && end.exit_code == 0) {
            return ExitCode::done;
        }
        if (worker.was_ended() && !worker.is_late()) {
            continue;  // the point was done after all; the next one starts a new process
        }
        if (end.signal == 0 || !worker.point()) {
            constexpr std::string_view ours = "strata: ";
            const std::string& words = worker.last_words();
            throw Error(words.starts_with(ours)
                            ? words.substr(ours.size())
                            : fmt::format("the process that measures the sweep ended early ({}); "
                                          "the same command continues it",
                                          words.empty() ? "without a word" : printable(words)));
        }
        bury(call, worker, end);
        if (worker.point()->repeat == 0) {
            worker.count_as_done();
        }
    }
}

ExitCode work_on_sweep(const SweepSpec& spec, const MeasuredPart& part, Session& session) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would hear it
    for (const std::string& name : spec.backends) {
        // Otherwise every point's outcome would be what this machine lacks.
        session.require_machine(name, spec.settings);
    }
    const InterruptGuard guard;
    MeasuredSweepHooks hooks{
        .campaign = {.backend = [&](const Job& job) { return session.backend_of(job); },
                     .take_turn = [&] { return session.take_turn(); }},
        .begins = [&](const StoredPoint& point) { tell("begin", point); },
        .ends = [&](const StoredPoint& point) { tell("end", point); }};
    hooks.campaign.job_begins = [](const Job&) { tell("turn"); };
    hooks.campaign.observer.stop = &InterruptGuard::requested();
    return measure_sweep(spec, part, session.database(), hooks);
}

}  // namespace strata

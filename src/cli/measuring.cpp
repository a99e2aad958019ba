// SPDX-License-Identifier: MIT
#include "cli/measuring.h"

#include "backend/peer/process.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

namespace strata {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "the only kind that a signal handler may use");

std::atomic<bool> loses_nothing{false};
std::atomic<bool> noticed{false};
int wake = -1;  // an eventfd

// Does only what a signal handler may do.
void note_interrupt(int signal) {
    if (loses_nothing) {
        report_interrupt();
        ::_exit(static_cast<int>(ExitCode::interrupted));
    }
    if (interrupted.exchange(true)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
}

// Sleeps until a signal or the guard's end wakes it, so it disturbs no measurement.
void watch(const std::stop_token& stop, std::chrono::milliseconds patience) {
    constexpr auto between_looks = std::chrono::milliseconds(20);
    std::uint64_t count = 0;
    while (::read(wake, &count, sizeof count) < 0) {
        if (errno != EINTR) {
            return;
        }
    }
    for (auto left = patience; left.count() > 0; left -= between_looks) {
        if (stop.stop_requested() || noticed) {
            return;
        }
        std::this_thread::sleep_for(between_looks);
    }
    remove_private_folders();
    report_interrupt();
    ::_exit(static_cast<int>(ExitCode::interrupted));
}

constexpr auto between_attempts = std::chrono::milliseconds(100);

void announce_wait(const MachineLock& lock) {
    const auto holder = lock.holder();
    say("waiting for another strata{} that is measuring on this machine; --no-wait "
        "measures anyway",
        holder ? fmt::format(" (process {})", *holder) : std::string());
}

constexpr auto between_lines = std::chrono::seconds(10);
constexpr auto between_stages = std::chrono::seconds(2);  // at least

std::string how_far(double fraction) {
    return fraction > 0 ? fmt::format("{:.0f} %", 100 * fraction) : "…";
}

constexpr Seconds min_reported_time{1};
constexpr double min_reported_share = 0.1;

}  // namespace

// Guards may be nested: the inner ones only set what is already set.
InterruptGuard::InterruptGuard(std::chrono::milliseconds patience) {
    if (wake < 0) {
        wake = ::eventfd(0, EFD_CLOEXEC);
        watcher_ = std::jthread(watch, patience);
    }
    std::signal(SIGINT, note_interrupt);
    std::signal(SIGTERM, note_interrupt);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (watcher_.joinable()) {
        watcher_.request_stop();
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
        watcher_.join();
        ::close(std::exchange(wake, -1));
    }
}

const std::atomic<bool>& InterruptGuard::requested() {
    return interrupted;
}

void InterruptGuard::is_noticed() {
    noticed = noticed || interrupted;
}

NothingToLose::NothingToLose() {
    loses_nothing = true;
}

NothingToLose::~NothingToLose() {
    loses_nothing = false;
}

void report_interrupt() {
    write_remark("strata: interrupted; the same command continues it\n");
}

MeasuringLock acquire_measuring_lock(WhenLocked when_locked) {
    MeasuringLock lock;
    if (when_locked == WhenLocked::measure_anyway) {
        lock.is_shared = !lock.lock.try_acquire();
        return lock;
    }
    bool told = false;
    while (!lock.lock.try_acquire() && !InterruptGuard::requested()) {
        if (!told) {
            announce_wait(lock.lock);
            told = true;
        }
        std::this_thread::sleep_for(between_attempts);
    }
    return lock;
}

ProgressLine::ProgressLine()
    : is_terminal_(isatty(STDERR_FILENO) == 1), begin_(std::chrono::steady_clock::now()) {
    if (!is_terminal_) {
        writer_ = std::jthread([this](const std::stop_token& stop) { write_lines(stop); });
    }
}

ProgressLine::~ProgressLine() {
    if (is_terminal_) {
        write_remark("\r\x1b[K");
    }
}

void ProgressLine::show(const std::string& stage, double fraction, const std::string& detail) {
    const std::lock_guard guard(mutex_);
    const bool is_new = stage != stage_;
    stage_ = stage;
    detail_ = detail;
    fraction_ = fraction;
    if (is_terminal_) {
        rewrite();
    } else if (is_new && has_written_ &&
               std::chrono::steady_clock::now() - written_ >= between_stages) {
        write_line();
    }
}

std::string ProgressLine::text() const {
    return fmt::format("{}{} {}", stage_, detail_.empty() ? "" : ", " + detail_,
                       how_far(fraction_));
}

void ProgressLine::rewrite() const {
    write_remark(fmt::format("\r\x1b[K{}", text()));
}

void ProgressLine::write_line() {
    written_ = std::chrono::steady_clock::now();
    const auto seconds = std::chrono::duration<double>(written_ - begin_);
    say("{} ({:.0f} s)", text(), seconds.count());
    has_written_ = true;
}

// Long stages, such as verifying, report nothing by themselves; a thread that wakes every ten
// seconds disturbs no measurement.
void ProgressLine::write_lines(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, between_lines, [&] { return stop.stop_requested(); })) {
        if (stop.stop_requested()) {
            return;
        }
        if (!stage_.empty()) {
            write_line();
        }
    }
}

void StageTimes::enter(const std::string& stage) {
    if (stage != stage_) {
        end_stage();
        stage_ = stage;
    }
}

void StageTimes::end_stage() {
    const auto now = std::chrono::steady_clock::now();
    stages_.emplace_back(stage_, Seconds{std::chrono::duration<double>(now - since_).count()});
    since_ = now;
}

std::optional<std::string> StageTimes::sentence_beyond(Seconds bound) {
    end_stage();
    Seconds whole, bounded;
    std::vector<std::string> parts;
    for (const auto& [stage, time] : stages_) {
        whole += time;
        bounded += stage == "warming up" || stage == "measuring" ? time : Seconds{};
        if (time >= std::min(min_reported_time, min_reported_share * bound)) {
            parts.push_back(fmt::format("{} {:.1f} s", stage, time.value));
        }
    }
    const Seconds beyond = whole - bound;
    if (beyond < min_reported_time || beyond < min_reported_share * bound) {
        return std::nullopt;
    }
    const bool is_too_short = bounded - bound >= min_reported_time;
    return fmt::format("took {:.1f} s ({}); --max-time {:.4g} {}", whole.value, join(parts, ", "),
                       bound.value,
                       is_too_short ? "is too short for one sample of each kind"
                                    : "limits only warming up and measuring");
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "measure/machine_lock.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// What a verb does around its measurements: it takes its turn on the machine, handles interrupts,
// and reports progress.
namespace strata {

// While it lives, SIGINT and SIGTERM set `requested` instead of ending the process, so that
// measurements can be stored. If a step takes longer than a second, the process ends without
// waiting; what was stored before remains. A second signal ends the process at once.
class InterruptGuard {
public:
    static constexpr std::chrono::milliseconds usual_patience{700};
    static constexpr std::chrono::milliseconds patience_with_others{950};  // who have the other

    explicit InterruptGuard(std::chrono::milliseconds patience = usual_patience);
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static const std::atomic<bool>& requested();

    // The interrupted code has noticed and only needs to store and print.
    static void is_noticed();

private:
    std::jthread watcher_;
};

// While it lives, the first interrupt ends the process at once, with its sentence and exit code:
// everything measured is stored, and the next check may be seconds away.
class NothingToLose {
public:
    NothingToLose();
    ~NothingToLose();
    NothingToLose(const NothingToLose&) = delete;
    NothingToLose& operator=(const NothingToLose&) = delete;
};

// "interrupted; the same command continues it", on standard error.
void report_interrupt();

// What to do while another strata process is measuring on this machine.
enum class WhenLocked { wait, measure_anyway };
inline WhenLocked when_locked(bool no_wait) {
    return no_wait ? WhenLocked::measure_anyway : WhenLocked::wait;
}

// Waits until no other strata process is measuring on this machine, with a message if that takes
// time. An interrupt ends the wait. `measure_anyway` does not wait.
MeasuringLock acquire_measuring_lock(WhenLocked when_locked);

// Reports progress on standard error. A terminal gets one line, rewritten in place and erased at
// the end. A log gets a line every ten seconds and, after the first, at each new stage, so that
// quick commands print nothing.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // Shows the stage, its progress (0..1; 0 if unknown), and what it is doing.
    void show(const std::string& stage, double fraction, const std::string& detail = {});

private:
    std::string text() const;
    void rewrite() const;
    void write_line();
    void write_lines(const std::stop_token& stop);

    const bool is_terminal_;
    const std::chrono::steady_clock::time_point begin_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::string stage_;
    std::string detail_;
    double fraction_ = 0;
    bool has_written_ = false;
    std::chrono::steady_clock::time_point written_;
    std::jthread writer_;  // last member, so that it stops before the others are destroyed
};

// The time a run spends in each stage: preparing, warming up, measuring. The clock starts with the
// object.
class StageTimes {
public:
    StageTimes() : since_(std::chrono::steady_clock::now()) {}

    // Enters a stage; entering the current stage again changes nothing.
    void enter(const std::string& stage);

    // If the whole took clearly longer than `bound`, which limits only warming up and measuring:
    // how long it took, and where the time went.
    std::optional<std::string> sentence_beyond(Seconds bound);

private:
    void end_stage();

    std::chrono::steady_clock::time_point since_;
    std::string stage_ = "opening the backend";
    std::vector<std::pair<std::string, Seconds>> stages_;  // in order of entry
};

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace strata {

namespace {

constexpr auto between_lines = std::chrono::seconds(10);
constexpr auto between_stages = std::chrono::seconds(2);  // at least

std::string how_far(double fraction) {
    return fraction > 0 ? fmt::format("{:.0f} %", 100 * fraction) : "…";
}

}  // namespace

ProgressLine::ProgressLine()
    : is_terminal_(isatty(STDERR_FILENO) == 1), begin_(std::chrono::steady_clock::now()) {
    if (!is_terminal_) {
        writer_ = std::jthread([this](const std::stop_token& stop) { write_lines(stop); });
    }
}

ProgressLine::~ProgressLine() {
    if (is_terminal_) {
        fmt::print(stderr, "\r\x1b[K");
    }
}

void ProgressLine::show(const std::string& what, double fraction) {
    const std::lock_guard guard(mutex_);
    const bool is_new = what != what_;
    what_ = what;
    fraction_ = fraction;
    if (is_terminal_) {
        rewrite();
    } else if (is_new && has_written_ &&
               std::chrono::steady_clock::now() - written_ >= between_stages) {
        write_line();
    }
}

void ProgressLine::rewrite() const {
    fmt::print(stderr, "\r\x1b[K{} {}", what_, how_far(fraction_));
    std::fflush(stderr);
}

void ProgressLine::write_line() {
    written_ = std::chrono::steady_clock::now();
    const auto seconds = std::chrono::duration<double>(written_ - begin_);
    fmt::print(stderr, "strata: {} {} ({:.0f} s)\n", what_, how_far(fraction_), seconds.count());
    std::fflush(stderr);
    has_written_ = true;
}

// A thread that wakes once in ten seconds disturbs no measurement; a stage that runs long, such as
// verifying, reports nothing by itself.
void ProgressLine::write_lines(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, between_lines, [&] { return stop.stop_requested(); })) {
        if (stop.stop_requested()) {
            return;
        }
        if (!what_.empty()) {
            write_line();
        }
    }
}

}  // namespace strata

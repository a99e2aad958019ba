// SPDX-License-Identifier: MIT
#include "store/limits.h"

#include "base/file.h"
#include "base/text.h"

#include <sqlite3.h>
#include <unistd.h>

namespace strata {

namespace {

constexpr int operations_between_questions = 100;
constexpr std::chrono::milliseconds between_looks{2};

// The memory of this process; 0 if the kernel does not report it.
double resident_bytes() {
    const auto text = read_small_file("/proc/self/statm").value_or("");
    const auto parts = split(text, ' ');
    const auto pages = parts.size() > 1 ? parse_number(parts[1]) : std::nullopt;
    return pages.value_or(0) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void StatementWatch::set(const StatementLimits& limits) {
    limits_ = limits;
    resident_ = resident_bytes();
    has_grown_ = false;
    enter({});
    sqlite3_progress_handler(handle_, operations_between_questions, is_over, this);
}

void StatementWatch::enter(Clock::duration spent) {
    begin_ = Clock::now() - spent;
}

StatementWatch::Limit StatementWatch::exceeded() const {
    const int code = sqlite3_errcode(handle_) & 0xff;
    if (has_grown_ || code == SQLITE_NOMEM || code == SQLITE_TOOBIG) {
        return Limit::memory;
    }
    return code == SQLITE_INTERRUPT ? Limit::time : Limit::none;
}

// (SQLite's own memory limit needs its statistics, which cost a lock for every allocation.)
int StatementWatch::is_over(void* watch) {
    auto& self = *static_cast<StatementWatch*>(watch);
    const auto now = Clock::now();
    if (now >= self.next_look_) {
        self.next_look_ = now + between_looks;
        self.has_grown_ = resident_bytes() - self.resident_ > self.limits_.memory.value;
    }
    const std::chrono::duration<double> spent = now - self.begin_;
    return self.has_grown_ || spent.count() > self.limits_.time.value;
}

}  // namespace strata

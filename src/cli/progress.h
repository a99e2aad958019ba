// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace strata {

// Says on standard error what goes on: on a terminal in one line that is rewritten in place and
// erased in the end; elsewhere, in a log, in a line every ten seconds and at each new stage after
// the first of these, so that what is quick says nothing.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // What is done now and, where that is known, how far it is (0..1; 0: not known).
    void show(const std::string& what, double fraction);

private:
    void rewrite() const;
    void write_line();
    void write_lines(const std::stop_token& stop);

    const bool is_terminal_;
    const std::chrono::steady_clock::time_point begin_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::string what_;
    double fraction_ = 0;
    bool has_written_ = false;
    std::chrono::steady_clock::time_point written_;
    std::jthread writer_;  // the last member: it ends before the others go
};

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace strata {

// Reports progress on standard error. On a terminal it is one line, rewritten in place and erased
// at the end. In a log it is a line every ten seconds and at each new stage after the first such
// line, so that quick commands print nothing.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // What is being done and how far it has got (0..1; 0 where not known).
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
    std::jthread writer_;  // the last member, so that it stops before the others are destroyed
};

}  // namespace strata

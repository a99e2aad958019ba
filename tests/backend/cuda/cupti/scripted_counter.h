// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/range_counter.h"

#include <algorithm>

namespace strata::cuda {

// A CUPTI that needs a number of passes, holds a limited number of ranges, or fails with a code as
// directed. Ranges of one name are one.
class ScriptedCounter : public RangeCounter {
public:
    std::size_t passes = 3;
    std::size_t max_ranges = 1000;
    std::string fails_at = {};
    int code = 0;
    CounterValues values = {{"a", 1.0}};
    std::vector<std::string> done = {};

    void start_pass() override { note("start"); }
    void push(const std::string& name) override {
        note("push");
        if (std::ranges::find(names_, name) == names_.end()) {
            names_.push_back(name);
        }
    }
    void pop() override { note("pop"); }
    Passes stop_pass() override {
        note("stop");
        return --passes == 0 ? Passes::are_done : Passes::remain;
    }
    std::vector<CountedRange> read() override {
        note("read");
        if (names_.size() > max_ranges) {
            throw ProfilerError(ProfilerTrouble::ranges_dropped, "count ranges");
        }
        std::vector<CountedRange> ranges;
        for (const std::string& name : names_) {
            ranges.push_back({.name = name, .values = values});
        }
        return ranges;
    }

    std::size_t count(const std::string& what) const {
        return static_cast<std::size_t>(std::ranges::count(done, what));
    }

private:
    void note(const std::string& what) {
        done.push_back(what);
        if (what == fails_at) {
            require_cupti(code, "count ranges");
        }
    }

    std::vector<std::string> names_;
};

}  // namespace strata::cuda

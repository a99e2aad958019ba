// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/range_counter.h"

#include <algorithm>

namespace strata::cuda {

// A CUPTI that takes a number of passes, or fails with a code on request.
class ScriptedCounter : public RangeCounter {
public:
    std::size_t passes = 3;
    std::string fails_at = {};
    int code = 0;
    CounterValues values = {{"a", 1.0}};
    std::vector<std::string> done = {};

    void start_pass() override { note("start"); }
    void push(const std::string& name) override {
        note("push");
        names_.push_back(name);
    }
    void pop() override { note("pop"); }
    Passes stop_pass() override {
        note("stop");
        return --passes == 0 ? Passes::are_done : Passes::remain;
    }
    std::vector<CountedRange> read() override {
        note("read");
        return {{.name = names_.back(), .values = values}};
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

// SPDX-License-Identifier: MIT
#pragma once

#include "measure/iteration.h"
#include "tests/support/fake_clock.h"

#include <functional>
#include <string>

namespace strata::testing {

// An iteration of two parts that takes given times on a fake clock. The first part takes a quarter.
// It records what ran: 'e' end to end, 'i' instrumented.
class ScriptedIteration final : public Iteration {
public:
    ScriptedIteration(FakeClock& clock, std::function<Seconds()> next)
        : clock_(clock), next_(std::move(next)) {}

    Seconds run() override {
        log += 'e';
        return pass(next_());
    }

    Seconds run_timed(std::span<Seconds> parts) override {
        log += 'i';
        const Seconds whole = next_();
        parts[0] = 0.25 * whole;
        parts[1] = 0.75 * whole;
        return pass(whole);
    }

    std::size_t parts() const override { return 2; }

    std::string log;

private:
    Seconds pass(Seconds time) {
        clock_.advance(time);
        return time;
    }

    FakeClock& clock_;
    std::function<Seconds()> next_;
};

}  // namespace strata::testing

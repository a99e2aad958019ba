// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/tracer.h"

#include "backend/cuda/cupti/activity_records.h"
#include "trace/budget.h"

#include <gtest/gtest.h>

namespace strata::cuda {
namespace {

constexpr Task first{.layer = 0, .pass = Pass::forward};
constexpr Task second{.layer = 1, .pass = Pass::forward};

// A CUPTI that records one kernel for each `launch`, called in the current range, and fails with a
// code on request.
class ScriptedCalls : public ActivityCalls {
public:
    std::string fails_at = {};
    int code = CUPTI_ERROR_UNKNOWN;
    int stops = 0;
    std::vector<Recorded> enabled = {};

    void start() override { may_fail("start"); }
    void enable(Recorded kind) override {
        may_fail(kind == Recorded::ranges ? "enable ranges" : "enable");
        enabled.push_back(kind);
    }
    void enter(std::uint64_t range) override { may_fail("enter"), range_ = range; }
    void leave(std::uint64_t outer) override { may_fail("leave"), range_ = outer; }
    Trace collect() override {
        may_fail("collect");
        return std::move(trace_);
    }
    void stop() noexcept override { ++stops; }

    void launch() {
        const auto call = static_cast<std::uint32_t>(trace_.spans.size() + 1);
        trace_.spans.push_back({.name = "sgemm",
                                .start = Nanoseconds(10 * call),
                                .end = Nanoseconds(10 * call + 10),
                                .correlation = call});
        if (range_ != 0) {
            trace_.calls.push_back({call, range_});
        }
    }

private:
    void may_fail(const std::string& what) const {
        if (what == fails_at) {
            require_cupti(code, "trace the GPU");
        }
    }

    Trace trace_;
    std::uint64_t range_ = 0;
};

TEST(Tracer, KernelsBelongToTheRangesInWhichTheyWereLaunched) {
    ScriptedCalls calls;
    Tracer tracer(calls);
    {
        const TracedRange iteration(tracer);
        {
            const TracedRange range(tracer, first);
            const TracedRange part(tracer);
            calls.launch();
        }
        {
            const TracedRange range(tracer, second);
            calls.launch();
        }
        calls.launch();
    }
    calls.launch();
    const Trace trace = tracer.finish();
    const auto attributions = attribute(trace);
    ASSERT_EQ(attributions.size(), 4u);
    EXPECT_EQ(attributions[0].task, first);
    EXPECT_EQ(attributions[1].task, second);
    EXPECT_EQ(attributions[2].evidence, Evidence::no_task);
    EXPECT_EQ(attributions[3].evidence, Evidence::no_record);
}

TEST(Tracer, RecordsEverythingThatAttributionNeeds) {
    ScriptedCalls calls;
    const Tracer tracer(calls);
    EXPECT_EQ(calls.enabled, std::vector(all_recorded.begin(), all_recorded.end()));
}

TEST(Tracer, IfItCannotStartNothingIsLeftEnabled) {
    for (const char* view : {"start", "enable", "enable ranges"}) {
        ScriptedCalls calls;
        calls.fails_at = view;
        calls.code = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
        try {
            const Tracer tracer(calls);
            ADD_FAILURE() << view;
        } catch (const ProfilerError& error) {
            EXPECT_EQ(error.trouble(), ProfilerTrouble::another_profiler);
        }
        EXPECT_EQ(calls.stops, 1) << view;
    }
}

TEST(Tracer, StopsIfItIsNeverFinished) {
    ScriptedCalls calls;
    { const Tracer tracer(calls); }
    EXPECT_EQ(calls.stops, 1);
}

TEST(Tracer, ARangeWhoseEndFailsIsCountedAsDropped) {
    ScriptedCalls calls;
    Tracer tracer(calls);
    {
        const TracedRange range(tracer, first);
        calls.fails_at = "leave";
    }
    EXPECT_EQ(tracer.finish().dropped, 1u);
}

TEST(Tracer, ATraceThatCannotBeCollectedIsTrouble) {
    ScriptedCalls calls;
    calls.fails_at = "collect";
    Tracer tracer(calls);
    EXPECT_THROW(tracer.finish(), ProfilerError);
}

}  // namespace
}  // namespace strata::cuda

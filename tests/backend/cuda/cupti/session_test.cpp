// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/gpu_range_counter.h"
#include "backend/cuda/cupti/metric_host.h"
#include "backend/cuda/cupti/tracer.h"
#include "backend/cuda/cupti_profiling.h"
#include "backend/cuda/engine.h"
#include "networks/network.h"
#include "tests/backend/cuda/cupti/scripted_cupti.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "trace/attribute.h"
#include "trace/iterations.h"

#include <cupti_result.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

// With CUPTI replaced by a scripted one (scripted_cupti.h): strata's calls, their order, and the
// use of the results.
namespace strata::testing {

namespace {

using cuda::ProfilerError;
using cuda::ProfilerTrouble;
using cuda::TracedRange;
using cuda::Tracer;

constexpr Task first{.layer = 0, .pass = Pass::forward};
constexpr Task second{.layer = 1, .pass = Pass::forward};

class CuptiSession : public ::testing::Test {
protected:
    void SetUp() override { restart_scripted_cupti(); }
    void TearDown() override {
        EXPECT_TRUE(script().violations.empty()) << ::testing::PrintToString(script().violations);
        EXPECT_EQ(script().external_ids, 0U);
    }

    static ScriptedCupti& script() { return scripted_cupti(); }

    static std::size_t count(const std::string& call) {
        return static_cast<std::size_t>(std::ranges::count(script().calls, call));
    }

    // A kind that CUPTI refuses ends the subscription, so that the next trace attaches anew.
    static void detach_by_failure() {
        cuda::begin_counting();
        script().fails_at = "cuptiActivityEnable";
        script().code = CUPTI_ERROR_NOT_COMPATIBLE;
        EXPECT_THROW(trace_replays(), ProfilerError);
        EXPECT_FALSE(script().is_subscribed);
        script().calls.clear();
        script().fails_at = "";
    }

    struct Replays {
        Trace trace = {};
        std::vector<std::uint64_t> iterations = {};
    };

    // Traces like an executable: a graph of two layers is recorded and replayed twice, and then in
    // separate iterations.
    static Replays trace_replays() {
        const auto calls = cuda::open_activity_calls();
        Tracer tracer(*calls);
        ScriptedGraph graph;
        for (const Task& task : {first, second}) {
            const TracedRange range(tracer, task);
            graph.capture(task == first ? "conv" : "relu");
        }
        graph.instantiate();
        graph.launch();
        graph.launch();
        Replays replays;
        for (int i = 0; i < 3; ++i) {
            const TracedRange range(tracer);
            graph.launch();
            replays.iterations.push_back(range.id());
        }
        replays.trace = tracer.finish();
        return replays;
    }

    // Each iteration has each kernel once, with its layer.
    static void expect_whole(const Replays& replays) {
        const auto attributions = attribute(replays.trace);
        const auto iterations = spans_by_iteration(replays.trace, replays.iterations);
        ASSERT_EQ(iterations.size(), 3U);
        Nanoseconds end{};
        for (const auto& spans : iterations) {
            std::map<std::string, std::optional<Task>> tasks;
            Nanoseconds last{};
            for (const std::size_t span : spans) {
                tasks[replays.trace.spans[span].name] = attributions[span].task;
                EXPECT_GT(replays.trace.spans[span].start, end) << "iterations follow each other";
                last = std::max(last, replays.trace.spans[span].end);
            }
            end = last;
            EXPECT_EQ(spans.size(), 2U);
            EXPECT_EQ(tasks["conv"], first);
            EXPECT_EQ(tasks["relu"], second);
        }
    }
};

TEST_F(CuptiSession, KernelsOfAGraphHaveTheLayerThatTheirNodesWereCapturedIn) {
    const Replays replays = trace_replays();
    EXPECT_EQ(replays.trace.dropped, 0U);
    expect_whole(replays);
}

TEST_F(CuptiSession, AProcessHasOneSubscriptionAndOneSession) {
    trace_replays();
    const int sessions = script().sessions;
    for (int i = 0; i < 3; ++i) {
        const Replays replays = trace_replays();
        expect_whole(replays);
    }
    EXPECT_EQ(script().sessions, sessions) << "tracing stays enabled";
    EXPECT_EQ(count("cuptiUnsubscribe") + count("cuptiActivityDisable"), 0U);
    EXPECT_LE(count("cuptiSubscribe"), 1U);
    EXPECT_TRUE(cuda::is_cupti_attached());
}

TEST_F(CuptiSession, IterationsOfLaterSessionsAreSeparatedDespiteWrongIds) {
    trace_replays();
    cuda::begin_counting();
    EXPECT_EQ(script().enabled_kinds, 0);
    const Replays replays = trace_replays();
    ASSERT_GT(script().sessions, 1);
    EXPECT_FALSE(calls_tell_launches_apart(replays.trace, replays.iterations));
    expect_whole(replays);
    script().has_right_ids_again = true;
    const Replays right = trace_replays();
    EXPECT_TRUE(calls_tell_launches_apart(right.trace, right.iterations));
    expect_whole(right);
}

TEST_F(CuptiSession, RecordsBetweenTracesBelongToNone) {
    trace_replays();
    launch_kernel("probe");
    script().drops = 1;
    launch_kernel("probe");
    const Replays replays = trace_replays();
    EXPECT_EQ(replays.trace.dropped, 0U);
    EXPECT_FALSE(std::ranges::any_of(replays.trace.spans,
                                     [](const Span& span) { return span.name == "probe"; }));
    launch_kernel("probe");
}

TEST_F(CuptiSession, DroppedRecordsAreCounted) {
    script().drops = 5;
    EXPECT_EQ(trace_replays().trace.dropped, 5U);
    EXPECT_EQ(trace_replays().trace.dropped, 0U);
}

TEST_F(CuptiSession, AnIncompleteRecordCountsAsDropped) {
    script().incomplete_record = 2;
    EXPECT_EQ(trace_replays().trace.dropped, 1U);
}

// CUPTI's other threads call back while this one is in a walk over records or asks for a node's
// number; a violation says that one waited for a lock.
TEST_F(CuptiSession, NoLockIsHeldWhileCuptiIsCalled) {
    script().records_in_buffer = 1;
    expect_whole(trace_replays());
}

TEST_F(CuptiSession, ARangeThatCannotBeLeftDoesNotAffectTheNextTrace) {
    {
        const auto calls = cuda::open_activity_calls();
        Tracer tracer(*calls);
        {
            const TracedRange range(tracer, first);
            script().fails_at = "cuptiActivityPopExternalCorrelationId";
            script().code = CUPTI_ERROR_UNKNOWN;
        }
        script().fails_at = "";
        EXPECT_EQ(tracer.finish().dropped, 1U);
    }
    expect_whole(trace_replays());
}

// Nothing is attached when each of these fails, nor afterwards.
TEST_F(CuptiSession, EveryFailureHasItsReasonAndTheNextTraceSucceeds) {
    const std::array<std::pair<const char*, ProfilerTrouble>, 4> failures = {
        {{"cuptiActivityFlushAll", ProfilerTrouble::refused},
         {"cuptiActivityGetNumDroppedRecords", ProfilerTrouble::refused},
         {"cuptiActivityPushExternalCorrelationId", ProfilerTrouble::refused},
         {"cuptiActivityEnable", ProfilerTrouble::refused}}};
    for (const auto& [function, trouble] : failures) {
        trace_replays();
        cuda::begin_counting();  // so that the next trace enables anew
        script().fails_at = function;
        script().code = CUPTI_ERROR_UNKNOWN;
        try {
            trace_replays();
            ADD_FAILURE() << function;
        } catch (const ProfilerError& error) {
            EXPECT_EQ(error.trouble(), trouble) << function;
        }
        script().fails_at = "";
        expect_whole(trace_replays());
    }
}

TEST_F(CuptiSession, AnAttachmentThatFailsLeavesNothingBehind) {
    const std::array<std::pair<const char*, int>, 5> failures = {
        {{"cuptiSubscribe", CUPTI_ERROR_NOT_INITIALIZED},
         {"cuptiEnableCallback", CUPTI_ERROR_UNKNOWN},
         {"cuptiActivityRegisterCallbacks", CUPTI_ERROR_UNKNOWN},
         {"cuptiActivityEnable", CUPTI_ERROR_NOT_COMPATIBLE},
         {"cuptiGetVersion", CUPTI_ERROR_UNKNOWN}}};
    for (const auto& [function, code] : failures) {
        detach_by_failure();
        script().fails_at = function;
        script().code = code;
        EXPECT_THROW(trace_replays(), ProfilerError) << function;
        EXPECT_FALSE(script().is_subscribed) << function;
        EXPECT_EQ(script().enabled_kinds, 0) << function;
        script().fails_at = "";
        expect_whole(trace_replays());
    }
}

TEST_F(CuptiSession, AnotherProfilerInTheProcessIsNamed) {
    detach_by_failure();
    script().has_other_subscriber = true;
    for (const auto& attach : {std::function<void()>([] { trace_replays(); }),
                               std::function<void()>(cuda::begin_counting)}) {
        try {
            attach();
            ADD_FAILURE() << "the other profiler was not found";
        } catch (const ProfilerError& error) {
            EXPECT_EQ(error.trouble(), ProfilerTrouble::another_profiler);
        }
    }
    EXPECT_EQ(count("cuptiActivityEnable"), 0U) << "nothing else is called";
}

// A machine whose calls are kernels of the scripted device, and whose recordings are graphs of it.
class GraphMachine : public HostMachine {
public:
    GraphMachine() : HostMachine(described_h200()) {}

    void enqueue(const cuda::Call& call, std::span<void* const> addresses) override {
        HostMachine::enqueue(call, addresses);
        captured_ ? captured_->capture("kernel") : launch_kernel("kernel");
    }

    std::unique_ptr<cuda::Replay> record(const std::function<void()>& enqueue_all) override {
        captured_.emplace();
        enqueue_all();
        captured_->instantiate();
        return std::make_unique<GraphReplay>(*std::exchange(captured_, std::nullopt));
    }

private:
    class GraphReplay : public cuda::Replay {
    public:
        explicit GraphReplay(ScriptedGraph graph) : graph_(std::move(graph)) {}
        void enqueue() override { graph_.launch(); }

    private:
        ScriptedGraph graph_;
    };

    std::optional<ScriptedGraph> captured_;
};

class ProfiledExecutable : public CuptiSession {
protected:
    ProfiledExecutable()
        : executable_(graph_, cuda::prepare_program(graph_, {}, described_h200()),
                      std::make_shared<GraphMachine>()) {}

    // CUPTI itself, except for calls that need a real device.
    static cuda::CuptiLibrary library() {
        cuda::CuptiLibrary library = cuda::cupti_library();
        library.open_device = []() -> cuda::CountingDevice {
            cuda::begin_counting();
            return {.chip = "GH100"};
        };
        return library;
    }

    // Every step of every iteration has its kernels.
    void expect_recorded() {
        const Recording recording = cuda::CuptiProfiling(executable_, library()).record(3);
        const auto attributions = attribute(recording.trace);
        const auto iterations = spans_by_iteration(recording.trace, recording.iterations);
        ASSERT_EQ(iterations.size(), 3U);
        for (const auto& spans : iterations) {
            std::set<std::pair<LayerId, Pass>> tasks;
            for (const std::size_t span : spans) {
                EXPECT_NE(recording.trace.spans[span].graph_node, 0U);
                ASSERT_TRUE(attributions[span].task);
                tasks.emplace(attributions[span].task->layer, attributions[span].task->pass);
            }
            EXPECT_EQ(spans.size(), iterations.front().size());
            for (const std::size_t step : executable_.working_steps()) {
                const Step& worked = executable_.steps()[step];
                EXPECT_TRUE(tasks.contains({worked.layer, worked.pass}));
            }
        }
    }

    void expect_counted() {
        std::vector<std::size_t> counted;
        cuda::CuptiProfiling(executable_, library())
            .count({.sets = sets_,
                    .announce = [](const CountingPlan& plan) { EXPECT_EQ(plan.refusal, ""); },
                    .is_known = [](std::size_t) { return false; },
                    .is_stopped = [] { return false; },
                    .keep =
                        [&](const CountedStep& step) {
                            counted.push_back(step.step);
                            EXPECT_TRUE(std::ranges::any_of(step.metrics, [](const auto& metric) {
                                return std::holds_alternative<double>(metric.value);
                            }));
                        }});
        EXPECT_TRUE(std::ranges::equal(counted, executable_.working_steps()));
    }

    std::vector<MetricSet> sets_ = default_sets(metric_catalogue());
    Graph graph_ = load_network({.network = "fc:layers=3,nodes=8,inputs=8,outputs=8",
                                 .batch = 2,
                                 .dims = {},
                                 .variables = {}});
    cuda::CudaExecutable executable_;
};

TEST_F(ProfiledExecutable, ItsReplaysAreRecordedOneSessionAfterTheOther) {
    expect_recorded();
    expect_recorded();
    cuda::begin_counting();
    expect_recorded();
    EXPECT_GT(script().sessions, 1);
}

// A violation says that counters were read while tracing was enabled.
TEST_F(ProfiledExecutable, TracingAndCountingTakeTurns) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "CUPTI opens its host part in a way that the address sanitizer forbids";
#endif
    expect_recorded();
    expect_counted();
    EXPECT_EQ(count("cuptiRangeProfilerStart"), script().passes);
    EXPECT_EQ(count("cuptiRangeProfilerEnable"), count("cuptiRangeProfilerDisable"));
    expect_recorded();
    expect_counted();
}

#ifdef STRATA_MODULE_PAST_L1
// A process that opens both modules also has one subscription.
TEST(CuptiModules, ShareTheSession) {
    const auto session_in = [](const char* file) {
        void* module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        return module == nullptr ? nullptr : dlsym(module, "_ZN6strata4cuda13cupti_sessionE");
    };
    void* session = session_in(STRATA_MODULE);
    EXPECT_NE(session, nullptr);
    EXPECT_EQ(session, session_in(STRATA_MODULE_PAST_L1));
}
#endif

}  // namespace

}  // namespace strata::testing

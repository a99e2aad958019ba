// SPDX-License-Identifier: MIT Public bug reports as small files next to the source folder; their
// README.txt has the correct results.
#include "import/formats.h"
#include "import/run.h"

#include "measure/statistics.h"
#include "tests/support/shared_directory.h"
#include "trace/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

class IterationCases : public ::testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::is_directory(cases_)) {
            GTEST_SKIP() << "there is no folder data/cases in the shared directory "
                            "(STRATA_SHARED_DIR)";
        }
    }

    strata::Run imported(const char* file) const {
        ByteSource source(cases_ / file);
        return imported_run(format_for(cases_ / file, "").read(source), {.file = file}, nullptr)
            .run;
    }

    const std::filesystem::path cases_ = shared_directory() / "data" / "cases";
};

// "gemm 5 us x 3" for each step: its layer, the median of its samples and their number.
std::vector<std::string> steps_of(const strata::Run& run) {
    std::vector<std::string> all;
    for (const StepResult& step : run.steps) {
        const auto& times = std::get<Samples>(step.time).values;
        all.push_back(
            fmt::format("{} {:g} us x {}", step.layer, median_of(times).value * 1e6, times.size()));
    }
    return all;
}

bool has_doubt(const strata::Run& run, const std::string& text) {
    return std::ranges::any_of(
        run.flags, [&](const Flag& flag) { return flag.sentence.find(text) != std::string::npos; });
}

using Steps = std::vector<std::string>;

TEST_F(IterationCases, Case12OnePassOfOnednnThatEndsInEqualLayersIsOneIteration) {
    EXPECT_EQ(steps_of(imported("12-onednn-one-pass/onednn_abb.log")),
              (Steps{"matmul 9000 us x 1", "matmul#2 1000 us x 1", "matmul#3 1000 us x 1"}));
}

TEST_F(IterationCases, Case25KernelsOfAGraphAreLayersWithASampleForEachLaunch) {
    EXPECT_EQ(steps_of(imported("25-cuda-graph/k_cudagraph.json")),
              (Steps{"k0 400 us x 3", "k1 400 us x 3", "k2 400 us x 3", "k3 400 us x 3"}));
}

TEST_F(IterationCases, Case26TwoKernelsAtTheSameTimeAreBusyOnce) {
    const strata::Run run = imported("26-two-streams/k_overlap.json");
    ASSERT_TRUE(run.trace);
    std::vector<Span> spans;
    for (const TracedSpan& traced : run.trace->spans) {
        spans.push_back(traced.span);
    }
    const Timeline timeline = timeline_of(spans, 0);
    EXPECT_EQ(timeline.busy, Nanoseconds(1'000'000));
    EXPECT_EQ(timeline.overlap, Nanoseconds(1'000'000));
}

TEST_F(IterationCases, Case28OnlyTheCompleteRunsOfATruncatedProfileCount) {
    const strata::Run run = imported("28-ort-cut/ort_cut.json");
    EXPECT_EQ(run.provenance.at("import.iterations"), "2, marked by the tool");
    for (const StepResult& step : run.steps) {
        EXPECT_EQ(std::get<Samples>(step.time).values.size(), 2u) << step.layer;
        EXPECT_FALSE(step.seen_in) << step.layer;
    }
    EXPECT_TRUE(has_doubt(run, "ends in the middle of an event"));
    EXPECT_TRUE(has_doubt(run, "outside the 2 iterations"));
}

TEST_F(IterationCases, Case30KernelsOnTwoQueuesAreOnePass) {
    const strata::Run run = imported("30-rocprofv3-two-queues/rocprofv3.csv");
    EXPECT_EQ(steps_of(run),
              (Steps{"void k<float, 4>(float*) 2 us x 1", "gemm 5 us x 1", "gemm#2 5 us x 1"}));
}

}  // namespace
}  // namespace strata

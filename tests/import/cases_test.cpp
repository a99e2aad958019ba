// SPDX-License-Identifier: MIT Files from public bug reports, each with its correct result
// (shared/data/cases).
#include "import/formats.h"
#include "import/run.h"

#include "tests/support/error_message.h"
#include "tests/support/shared_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

class PublicCases : public ::testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::is_directory(folder_)) {
            GTEST_SKIP() << "no cases; set STRATA_SHARED_DIR";
        }
    }

    ImportedRun import(const std::string& file) const {
        ByteSource source(folder_ / file);
        return imported_run(format_for(folder_ / file, "").read(source), {}, nullptr);
    }
    std::string refusal(const std::string& file) const {
        return error_of([&] { import(file); });
    }

    const std::filesystem::path folder_ = shared_directory() / "data" / "cases";
};

// The samples of a layer's steps.
std::vector<double> microseconds_of(const ImportedRun& imported, const std::string& layer) {
    std::vector<double> all;
    for (const StepResult& step : imported.run.steps) {
        const auto* samples = std::get_if<Samples>(&step.time);
        for (const Seconds time :
             step.layer == layer && samples != nullptr ? samples->values : std::vector<Seconds>()) {
            all.push_back(std::round(time.value * 1e9) / 1e3);
        }
    }
    return all;
}

using Times = std::vector<double>;

TEST_F(PublicCases, NewerNsightComputesUnitsAreMicroseconds) {
    const ImportedRun imported = import("03-ncu-us-units/ncu_cmdline.csv");
    double sum = 0;
    for (const double time : microseconds_of(imported, "saxpy")) {
        sum += time;
    }
    EXPECT_DOUBLE_EQ(sum, 211.94 + 203.02);
}

TEST_F(PublicCases, TheRawPagesRowOfUnitsIsReadWithoutBaseUnits) {
    const ImportedRun imported = import("05-ncu-raw-us/ncu_raw_us.csv");
    EXPECT_EQ(microseconds_of(imported, "sgemm(float*)"), Times{1234.56});
    EXPECT_EQ(microseconds_of(imported, "relu(float*)"), Times{2.5});
    const auto& metrics = imported.run.steps.at(0).metrics;
    const auto read = std::ranges::find(metrics, "dram_read", &MetricResult::name);
    ASSERT_NE(read, metrics.end());
    EXPECT_EQ(read->value, 12.5e6);
}

TEST_F(PublicCases, ASummaryOfNsightComputeNamesTheOptionToOmit) {
    EXPECT_NE(refusal("07-ncu-summary/ncu_summary.csv").find("--print-summary"), std::string::npos);
}

TEST_F(PublicCases, SeparateBeginAndEndEventsArePaired) {
    const ImportedRun imported = import("20-BE-events/k_BE.json");
    EXPECT_EQ(microseconds_of(imported, "aten::mm"), Times{20});
    EXPECT_EQ(microseconds_of(imported, "aten::add"), Times{7});
}

TEST_F(PublicCases, NvprofWithoutKernelsIsReportedAsEmpty) {
    EXPECT_NE(refusal("33-nvprof-none/nvprof_none.csv").find("recorded no kernels"),
              std::string::npos);
}

TEST_F(PublicCases, TablesOfSumsAreImportedAsSums) {
    const ImportedRun nsys = import("34-stats-tables/nsys_stats.csv");
    EXPECT_EQ(microseconds_of(nsys, "void gemm<float, 4>(float*)"), Times{50});
    EXPECT_EQ(microseconds_of(nsys, "relu(float*)"), Times{10});
    for (const char* file :
         {"34-stats-tables/rocprofv1_stats.csv", "34-stats-tables/rocprofv3_stats.csv"}) {
        const ImportedRun rocprof = import(file);
        EXPECT_EQ(microseconds_of(rocprof, "gemm"), Times{50}) << file;
        EXPECT_EQ(microseconds_of(rocprof, "relu"), Times{10}) << file;
    }
}

TEST_F(PublicCases, OnlyTheExecutionLinesOfOnednnsDebugLogAreWork) {
    const ImportedRun imported = import("36-onednn-debuginfo/onednn_debug.log");
    EXPECT_EQ(microseconds_of(imported, "inner_product"), Times{500});
}

TEST_F(PublicCases, ALogOfOnednnWithoutAVersionAndWithOtherOutputIsRead) {
    const ImportedRun imported = import("37-onednn-windows-all/onednn_win.log");
    EXPECT_EQ(microseconds_of(imported, "convolution"), Times{4351});
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
// Tables in the documented layouts of GPU profilers (data/README.md).
#include "import/formats.h"
#include "import/run.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace strata {
namespace {

const std::filesystem::path documented = std::filesystem::path(STRATA_IMPORT_DATA) / "documented";

RecordedProfile profile_of(const char* file) {
    ByteSource source(documented / file);
    return format_for(documented / file, "").read(source);
}

std::string name_at(const RecordedProfile& profile, std::size_t i) {
    return std::string(profile.texts[profile.operators.at(i).name]);
}

TEST(GpuTables, ATraceOfNvprofGivesKernelsWithStartsLaunchesAndCopies) {
    const RecordedProfile profile = profile_of("nvprof_trace.csv");
    EXPECT_EQ(profile.tool, "nvprof");
    ASSERT_EQ(profile.spans.size(), 5u);
    EXPECT_EQ(profile.spans[0].span.kind, SpanKind::copy);
    EXPECT_EQ(profile.operators[1].time, Nanoseconds(250'000));
    ASSERT_TRUE(profile.spans[1].span.launch);
    EXPECT_EQ(profile.spans[1].span.launch->grid, (LaunchExtent{14, 14, 32}));
    EXPECT_EQ(name_at(profile, 2),
              "void op_generic_tensor_kernel<int=2, float>(cudnnTensorStruct, float*)");
}

TEST(GpuTables, KernelsRepeatThemselvesByIteration) {
    const ImportedRun imported = imported_run(profile_of("nvprof_trace.csv"), {}, nullptr);
    EXPECT_EQ(imported.run.whole.instrumented.values.size(), 2u);
    ASSERT_TRUE(imported.run.trace);
    EXPECT_EQ(imported.run.trace->spans.size(), 2u);
}

TEST(GpuTables, ASummaryOfNvprofHasNoStartsAndSaysWhatItsTimesAre) {
    const RecordedProfile profile = profile_of("nvprof_summary.csv");
    ASSERT_EQ(profile.operators.size(), 2u);  // calls of the host's interface are none
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(501'000));
    EXPECT_FALSE(profile.has_starts);
    EXPECT_EQ(profile.doubts.size(), 1u);
}

TEST(GpuTables, NsightComputesLongFormHasARowForEachMetric) {
    const RecordedProfile profile = profile_of("ncu_long.csv");
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(name_at(profile, 0), "gemm<float, 128>(float *, int)");
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(1'250'250));
    EXPECT_EQ(profile.metrics.at(0).at(0),
              (MetricResult{"dram__bytes_read.sum", "Mbyte", 1204.5, ""}));
}

TEST(GpuTables, NsightComputesRawPageHasAColumnForEachMetricAndARowOfUnits) {
    const RecordedProfile profile = profile_of("ncu_raw.csv");
    ASSERT_EQ(profile.operators.size(), 1u);  // the other has no time
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(1'250'250));
    EXPECT_EQ(profile.metrics.at(0).size(), 2u);
    EXPECT_TRUE(std::ranges::any_of(profile.doubts, [](const std::string& doubt) {
        return doubt.starts_with("1 event was left out");
    }));
}

TEST(GpuTables, BothRocprofsTellTheSameKernels) {
    for (const char* file : {"rocprof_results.csv", "rocprofv3_kernel_trace.csv"}) {
        const RecordedProfile profile = profile_of(file);
        ASSERT_EQ(profile.operators.size(), 2u) << file;
        EXPECT_EQ(name_at(profile, 0), "gemm(float*, int)") << file;
        EXPECT_EQ(name_at(profile, 1), "relu") << file;
        EXPECT_EQ(profile.operators[0].time, Nanoseconds(25'000)) << file;
    }
}

TEST(GpuTables, ALogOfDnnmarkGivesEachLayersPassesByItsName) {
    const RecordedProfile profile = profile_of("dnnmark.log");
    ASSERT_EQ(profile.operators.size(), 18u);
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(210'000));
    EXPECT_EQ(recorded_batch(profile), 4);
    EXPECT_EQ(recorded_mode(profile), Mode::training);
    const ImportedRun imported = imported_run(profile, {}, nullptr);
    std::vector<std::string> tasks;
    for (const StepResult& step : imported.run.steps) {
        tasks.push_back(step.layer + " " + std::string(name_of(step.pass)));
        EXPECT_EQ(std::get<Samples>(step.time).values.size(), 2u) << tasks.back();
    }
    EXPECT_EQ(tasks, (std::vector<std::string>{"conv1 forward", "relu1 forward", "pool1 forward",
                                               "fc forward", "fc backward_weights",
                                               "fc backward_data", "pool1 backward_data",
                                               "relu1 backward_data", "conv1 backward_weights"}));
    EXPECT_TRUE(imported.run.whole.instrumented.values.empty());  // its clock has no starts
}

TEST(GpuTables, RowsWithOtherNumbersOfFieldsAreCountedAndAnEmptyTableIsRefused) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "kernel_trace.csv";
    std::ofstream(file)
        << "\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n\"a\",5,9\n\"b\",5\n"
           "\"c\",9223372036854775807,-9223372036854775807\n";
    ByteSource source(file);
    const RecordedProfile profile = format_for(file, "").read(source);
    EXPECT_EQ(profile.operators.size(), 1u);
    EXPECT_EQ(profile.doubts.size(), 2u);
    std::ofstream(file) << "\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n";
    ByteSource empty(file);
    EXPECT_NE(error_of([&] { format_for(file, "").read(empty); }).find("has no kernel"),
              std::string::npos);
}

}  // namespace
}  // namespace strata

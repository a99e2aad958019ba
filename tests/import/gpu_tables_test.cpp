// SPDX-License-Identifier: MIT
// Tables in the documented layouts of GPU profilers (data/README.md).
#include "import/formats.h"
#include "import/run.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

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

TEST(GpuTables, ACopyBeforeTwoIterationsIsSeenInOne) {
    EXPECT_TRUE(imported_run(profile_of("nvprof_trace.csv"), {}, nullptr)
                    .run.provenance.at("import.iterations")
                    .starts_with("1, because nothing marks several"));
    const ImportedRun imported =
        imported_run(profile_of("nvprof_trace.csv"), {.iterations = 2}, nullptr);
    EXPECT_EQ(imported.run.steps.at(0).seen_in, (SeenIn{.iterations = 1, .of = 2}));
    EXPECT_NEAR(std::get<Samples>(imported.run.steps[0].time).values.at(0).value, 6e-6, 1e-15);
    EXPECT_EQ(imported.run.whole.instrumented.values.size(), 2u);
    ASSERT_TRUE(imported.run.trace);
    EXPECT_EQ(imported.run.trace->spans.size(), 2u);
}

TEST(GpuTables, ASummaryOfNvprofHasNoStartsAndExplainsItsTimes) {
    const RecordedProfile profile = profile_of("nvprof_summary.csv");
    ASSERT_EQ(profile.operators.size(), 2u);  // calls of the host's interface are not kernels
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(501'000));
    EXPECT_FALSE(profile.has_starts);
    EXPECT_EQ(profile.doubts.size(), 1u);
}

TEST(GpuTables, NsightComputesLongFormHasOneRowPerMetric) {
    const RecordedProfile profile = profile_of("ncu_long.csv");
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(name_at(profile, 0), "gemm<float, 128>(float *, int)");
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(1'250'250));
    EXPECT_EQ(profile.counters.at(0).at("dram__bytes_read.sum").value, 1204.5e6);
    EXPECT_EQ(profile.counters.at(0).at("dram__bytes_read.sum").unit, "B");
}

TEST(GpuTables, NsightComputesRawPageHasOneColumnPerMetricAndARowOfUnits) {
    const RecordedProfile profile = profile_of("ncu_raw.csv");
    ASSERT_EQ(profile.operators.size(), 1u);  // the other has no time
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(1'250'250));
    EXPECT_EQ(profile.counters.at(0).size(), 2u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::no_value), 1u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::no_time), 2u);  // its row and its counter
}

std::map<std::string, double> metrics_by_name(const StepResult& step) {
    std::map<std::string, double> all;
    for (const MetricResult& metric : step.metrics) {
        all[metric.name] = metric.value.value();
    }
    return all;
}

TEST(GpuTables, NsightComputesRangesBecomeLayersAndItsCountersMetrics) {
    const ImportedRun imported = imported_run(profile_of("ncu_nvtx.csv"), {}, nullptr);
    ASSERT_EQ(imported.run.steps.size(), 2u);
    const StepResult& conv = imported.run.steps[0];
    EXPECT_EQ(conv.layer, "layer1.conv");
    EXPECT_EQ(imported.by[0], "module path");
    EXPECT_EQ(std::get<Samples>(conv.time).values, (std::vector<Seconds>{{15e-6}, {15e-6}}));
    // The amounts of two kernels add up, and rates follow from the sums; shares have no sum.
    const auto both = metrics_by_name(conv);
    EXPECT_EQ(both.at("dram_read"), 3e6);
    EXPECT_EQ(both.at("dram_written"), 750e3);
    EXPECT_NEAR(both.at("counted_time"), 15e-6, 1e-12);
    EXPECT_NEAR(both.at("dram_read_rate"), 3e6 / 15e-6, 1);
    EXPECT_FALSE(both.contains("l2_hit_rate"));
    const auto one = metrics_by_name(imported.run.steps[1]);
    EXPECT_EQ(one.at("l2_hit_rate"), 60);
    EXPECT_EQ(one.at("launch__occupancy_limit_warps"), 8);  // under its own name
    EXPECT_FALSE(one.contains("lts__t_sector_hit_rate.pct"));
}

TEST(GpuTables, MetricsOfNvprofAreKernelsWithoutTimes) {
    const ImportedRun imported = imported_run(profile_of("nvprof_metrics.csv"), {}, nullptr);
    ASSERT_EQ(imported.run.steps.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<Skipped>(imported.run.steps[0].time));
    const auto first = metrics_by_name(imported.run.steps[0]);
    EXPECT_EQ(first.at("dram_read"), 4194304);
    EXPECT_EQ(first.at("occupancy"), 24.5);
    EXPECT_EQ(first.at("stall_inst_fetch"), 4.2);
    EXPECT_EQ(imported.run.steps[1].metrics.at(0),
              (MetricResult{"dram_read_throughput", "B/s", 705.5e9, ""}));
}

TEST(GpuTables, BothRocprofsGiveTheSameKernels) {
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
    EXPECT_TRUE(imported.run.whole.instrumented.values.empty());  // its log has no start times
}

RecordedProfile read_table(const TemporaryDirectory& directory, const std::string& text) {
    const auto file = directory.path() / "table.csv";
    std::ofstream(file) << text;
    ByteSource source(file);
    return format_for(file, "").read(source);
}

// nsys stats' cuda_gpu_kern_gb_sum has a row for each grid of a kernel.
TEST(GpuTables, ASummaryIsOneIterationHoweverOftenItListsAKernel) {
    const TemporaryDirectory directory;
    const RecordedProfile profile =
        read_table(directory,
                   "Time (%),Total Time (us),Instances,GridXYZ,Name\n"
                   "90,900,9,   8    1    1,gemm\n10,100,9,   9    1    1,gemm\n");
    const ImportedRun imported = imported_run(profile, {}, nullptr);
    ASSERT_EQ(imported.run.steps.size(), 2u);
    EXPECT_TRUE(
        imported.run.provenance.at("import.iterations").starts_with("1, because the file is a"));
    EXPECT_NE(error_of([&] {
                  imported_run(profile, {.iterations = 2}, nullptr);
              }).find("leave out --iterations"),
              std::string::npos);
}

TEST(GpuTables, HostCallsAndDomainsInRocprofsSummariesAreNotKernels) {
    const TemporaryDirectory directory;
    const std::string header = "\"Name\",\"Calls\",\"TotalDurationNs\"\n";
    const RecordedProfile mixed =
        read_table(directory, header +
                                  "\"hipcub::scan(int*)\",1,5\n\"__hipPushCallConfiguration\",1,7\n"
                                  "\"hsa_signal_create\",1,9\n\"KERNEL_DISPATCH\",1,5\n");
    ASSERT_EQ(mixed.operators.size(), 1u);
    EXPECT_EQ(mixed.ledger.left_out(LeftOutReason::host_alone), 2u);
    EXPECT_EQ(mixed.ledger.left_out(LeftOutReason::unknown_kind), 1u);
    for (const char* rows : {"\"hipMemcpy\",2,9\n", "\"HIP_RUNTIME_API\",2,9\n"}) {
        EXPECT_NE(error_of([&] { read_table(directory, header + rows); }).find("without a kernel"),
                  std::string::npos)
            << rows;
    }
}

TEST(GpuTables, RowsOfAPrecedingTableAreBooked) {
    const TemporaryDirectory directory;
    const RecordedProfile profile =
        read_table(directory,
                   "Generating, please wait\n\nTime (%),Total Time (ns),Num Calls,Name\n"
                   "9,9,9,cudaLaunchKernel\n8,8,8,cudaFree\n\n"
                   "Time (%),Total Time (ns),Instances,Style,Range\n1,1,1,PushPop,step\n\n"
                   "Time (%),Total Time (ns),Instances,Name\n7,7,7,gemm\n");
    ASSERT_EQ(profile.operators.size(), 1u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::other_table), 3u);
    EXPECT_TRUE(profile.ledger.is_balanced());
}

TEST(GpuTables, RowsWithWrongNumbersOfFieldsAreCountedAndAnEmptyTableIsRefused) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "kernel_trace.csv";
    std::ofstream(file)
        << "\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n\"a\",5,9\n\"b\",5\n"
           "\"c\",9223372036854775807,-9223372036854775807\n";
    ByteSource source(file);
    const RecordedProfile profile = format_for(file, "").read(source);
    EXPECT_EQ(profile.operators.size(), 1u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::broken_row), 1u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::implausible_time), 1u);
    std::ofstream(file) << "\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n";
    ByteSource empty(file);
    EXPECT_NE(error_of([&] { format_for(file, "").read(empty); }).find("has no kernel"),
              std::string::npos);
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT The ledger of every format: each record of a file
// is used, context of others, or left out, by number and, if it has one, by
// time.
#include "import/ledger.h"

#include "import/devices.h"
#include "import/formats.h"
#include "import/run.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace strata {
namespace {

class Books : public ::testing::Test {
protected:
    RecordedProfile read(const std::string& text, std::string_view format = "") const {
        const auto file = directory_.path() / "recording";
        std::ofstream(file, std::ios::binary) << text;
        ByteSource source(file);
        return format_for(file, format).read(source);
    }
    RecordedProfile read_events(const std::string& events) const {
        return read(R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}");
    }

    TemporaryDirectory directory_;
};

Nanoseconds time_of(const RecordedProfile& profile) {
    Nanoseconds sum = {};
    for (const RecordedOperator& one : profile.operators) {
        sum += one.time;
    }
    return sum;
}

// Expects the file's number of records and nanoseconds, and the run's times to be those used.
void expect_balance(const RecordedProfile& profile, std::uint64_t records, double nanoseconds) {
    const Ledger& ledger = profile.ledger;
    EXPECT_EQ(ledger.met(), records);
    EXPECT_TRUE(ledger.is_balanced());
    EXPECT_EQ(ledger.used().nanoseconds, static_cast<double>(time_of(profile).count()));
    EXPECT_EQ(
        ledger.used().nanoseconds + ledger.context().nanoseconds + ledger.left_out().nanoseconds,
        nanoseconds);
}

std::string event(const std::string& category, const std::string& name, int process, int thread,
                  int start, int duration, const std::string& arguments = "") {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        category, name, process, thread, start, duration, arguments);
}

double left_out_time(const RecordedProfile& profile, LeftOutReason reason) {
    double time = 0;
    for (const LeftOutAccount& one : profile.ledger.accounts()) {
        time += one.reason == reason ? one.account.nanoseconds : 0;
    }
    return time;
}

TEST_F(Books, BalanceForATraceWithADevice) {
    const RecordedProfile profile = read_events(
        event("cpu_op", "aten::mm", 1, 1, 0, 30) + "," + event("cpu_op", "aten::view", 1, 1, 5, 2) +
        "," +  // within it
        event("cuda_runtime", "cudaLaunchKernel", 1, 1, 10, 5, R"("correlation":1)") + "," +
        event("cpu_op", "aten::empty", 1, 1, 40, 3) + "," +  // launches nothing
        event("user_annotation", "nccl:wait", 1, 1, 50, 11) + "," +
        event("kernel", "gemm", 0, 7, 100, 70, R"("correlation":1,"stream":7,"device":0)") + "," +
        event("gpu_user_annotation", "step", 0, 7, 100, 70, R"("stream":7)") + "," +
        event("overhead", "buffer", 1, 9, 0, 13) + "," + event("kernel", "", 0, 7, 200, 5) + "," +
        event("kernel", "late", 0, 7, 200, -5) + "," +
        R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":1},)" +
        R"({"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":10})");
    expect_balance(profile, 10, 1e3 * (30 + 2 + 5 + 3 + 11 + 70 + 70 + 13));
    EXPECT_EQ(profile.ledger.used(), (LedgerAccount{1, 70e3}));
    EXPECT_EQ(left_out_time(profile, LeftOutReason::host_alone), 3e3);
    EXPECT_EQ(left_out_time(profile, LeftOutReason::empty_range), 11e3);
    EXPECT_EQ(left_out_time(profile, LeftOutReason::unknown_kind), 13e3);
}

TEST_F(Books, EventsOfAnUnknownPhaseWithADurationAreBooked) {
    const RecordedProfile profile =
        read_events(event("cpu_op", "aten::mm", 1, 1, 0, 30) + "," +
                    R"({"ph":"Q","name":"later","pid":1,"tid":1,"ts":1,"dur":4},)" +
                    R"({"name":"none","pid":1,"tid":1,"ts":1,"dur":5},)" +
                    R"({"ph":"N","name":"object","pid":1,"tid":1,"ts":1})");
    expect_balance(profile, 3, 1e3 * (30 + 4 + 5));
    EXPECT_EQ(left_out_time(profile, LeftOutReason::unknown_kind), 9e3);
}

TEST_F(Books, BalanceForATraceWithoutADeviceAndAWaitInARangeIsAnOperator) {
    const RecordedProfile profile =
        read_events(event("cpu_op", "aten::mm", 1, 1, 0, 30) + "," +
                    event("user_annotation", "outer", 1, 1, 40, 40) + "," +
                    event("user_annotation", "gloo:all_reduce", 1, 1, 50, 20) + "," +
                    event("user_annotation", "block", 1, 1, 100, 50) + "," +
                    event("cpu_op", "aten::add", 1, 1, 110, 7) + "," +
                    event("user_annotation", "gloo:wait", 1, 1, 120, 20));
    expect_balance(profile, 6, 1e3 * (30 + 40 + 20 + 50 + 7 + 20));
    std::vector<std::string> names;
    for (const RecordedOperator& one : profile.operators) {
        names.emplace_back(profile.texts[one.name]);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"aten::mm", "outer", "aten::add", "gloo:wait"}));
}

TEST_F(Books, EventsThatLookLikeADevicesWorkAreReadWhateverTheirCategory) {
    for (const char* category : {"mtia_ccp_events", "npu", "xpu", "privateuse1"}) {
        const RecordedProfile profile = read_events(
            event("cpu_op", "aten::mm", 1, 1, 0, 30, R"("External id":5)") + "," +
            event("privateuse1_runtime", "launch", 1, 1, 10, 5, R"("correlation":9)") + "," +
            event(category, "matmul", 0, 2, 100, 70, R"("correlation":9,"External id":5)") + "," +
            event(category, "on the host", 1, 1, 400, 4, R"("correlation":10)") + "," +
            event(category, "without a link", 0, 2, 500, 6));
        expect_balance(profile, 5, 1e3 * (30 + 5 + 70 + 4 + 6));
        ASSERT_EQ(profile.spans.size(), 1u) << category;
        EXPECT_EQ(profile.texts[profile.operators.at(0).name], "aten::mm");
        EXPECT_EQ(profile.operators[0].time, Nanoseconds(70'000));
        EXPECT_EQ(left_out_time(profile, LeftOutReason::unknown_kind), 10e3);
    }
}

TEST_F(Books, SeparateBeginAndEndEventsArePairedByThreadAndTheOthersCounted) {
    const auto half = [](const char* phase, const char* name, int thread, int time) {
        return fmt::format(R"({{"ph":"{}","cat":"cpu_op","name":"{}","pid":1,"tid":{},"ts":{}}})",
                           phase, name, thread, time);
    };
    const RecordedProfile profile = read_events(
        half("E", "before", 1, 0) + "," + half("B", "a", 1, 10) + "," + half("B", "b", 2, 11) +
        "," + half("B", "inner", 1, 12) + "," + half("E", "", 1, 14) + "," + half("E", "b", 2, 31) +
        "," + half("E", "other", 1, 40) + "," + half("E", "a", 1, 60) + "," +
        half("B", "open", 1, 70));
    expect_balance(profile, 6, 1e3 * (50 + 20 + 2));
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::unpaired), 3u);
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(50'000));
}

TEST_F(Books, AViewersUnitOfTimeChangesNothing) {
    const RecordedProfile profile =
        read(R"({"displayTimeUnit": "ns", "schemaVersion": 1, "traceEvents": [)" +
             event("cpu_op", "aten::mm", 1, 1, 0, 30) + "]}");
    EXPECT_EQ(time_of(profile), Nanoseconds(30'000));
}

TEST_F(Books, BalanceForOnnxRuntimesProfile) {
    const RecordedProfile profile =
        read("[" + event("Session", "model_loading_uri", 1, 1, 0, 900) + "," +
             event("Session", "model_run", 1, 1, 1000, 200) + "," +
             event("Node", "conv_fence_before", 1, 1, 1001, 1, R"("op_name":"Conv")") + "," +
             event("Node", "conv_kernel_time", 1, 1, 1002, 100, R"("op_name":"Conv")") + "," +
             event("Kernel", "cudnn_gemm", 1, 2, 1002, 60) + "," +
             event("Session", "SequentialExecutor::Execute", 1, 1, 1000, 190) + "]");
    expect_balance(profile, 6, 1e3 * (900 + 200 + 1 + 100 + 60 + 190));
    EXPECT_EQ(left_out_time(profile, LeftOutReason::unknown_kind), 961e3);
}

TEST_F(Books, BalanceForTensorFlowsTrace) {
    const RecordedProfile profile = read(
        R"({"traceEvents": [{"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},)" +
            event("", "MatMul", 1, 1, 0, 30, R"("long_name":"dense/MatMul:MatMul")") + "," +
            event("", "ThreadpoolListener", 1, 1, 0, 8) + "]}",
        "tensorflow");
    expect_balance(profile, 2, 38e3);
    EXPECT_EQ(profile.ledger.used().records, 1u);
}

TEST_F(Books, OnednnsEnginesAreDevicesWithSeparateRuns) {
    const auto line = [](const char* engine, const char* kind, int time) {
        return fmt::format("dnnl_verbose,exec,{},convolution,jit,{},a,,alg:direct,mb2_ic3oc4,{}\n",
                           engine, kind, time);
    };
    const auto parts = by_device(read(
        line("cpu", "forward_training", 1) + line("gpu", "forward_training", 2) +
        line("gpu", "backward_weights", 3) + "onednn_verbose,v1,primitive,warn,gpu,low memory\n"));
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].devices.at(0).number, "cpu");
    EXPECT_EQ(time_of(parts[0]), Nanoseconds(1'000'000));
    EXPECT_EQ(time_of(parts[1]), Nanoseconds(5'000'000));
    EXPECT_EQ(parts[1].operators.at(1).forward, 1u);    // that of its own device
    EXPECT_EQ(parts[1].ledger.sentences().size(), 1u);  // the warning is quoted
}

TEST_F(Books, BalanceForALogOfOnednnAndPartitionsOfGraphsAreCounted) {
    const std::string head = "onednn_verbose,v1,info,oneDNN v3.8.0 (commit 0)\n";
    const std::string partition =
        "onednn_verbose,v1,graph,exec,cpu,100002,sdp,matmul;softmax,,in0_f16:1 out0_f16:2,"
        "fpm:strict,sdp_kernel_t,dnnl_backend,0.75\n";
    const std::string primitive =
        "onednn_verbose,v1,primitive,exec,cpu,matmul,brg,undef,src:f32::blocked:ab::f0,,,2x3:3x4,"
        "0.5\n";
    const RecordedProfile both =
        read(head +
             "onednn_verbose,v1,primitive,create:cache_miss,cpu,matmul,brg,undef,a,,,2x3,"
             "0.25\n" +
             primitive + partition +
             "onednn_verbose,v1,primitive,exec:check,primitive,unused argument,file.cpp:74\n");
    expect_balance(both, 3, 1.5e6);
    EXPECT_EQ(left_out_time(both, LeftOutReason::own_lines), 0.75e6);
    EXPECT_EQ(both.ledger.sentences().size(), 3u);  // and the tool's own complaint
    const RecordedProfile alone = read(head + partition);
    expect_balance(alone, 1, 0.75e6);
    EXPECT_EQ(alone.ledger.used().records, 1u);
}

TEST_F(Books, BalanceForDnnmarksLog) {
    const RecordedProfile profile = read(
        "I1 DNNMark: suites\nI1 1 timer.h:1] ConvFwd_0: 1.5ms\nI1 1 timer.h:1] NewFwd_1: 2ms\n"
        "I1 1 timer.h:1] ConvFwd_0: -1ms\n",
        "dnnmark");
    expect_balance(profile, 3, 3.5e6);
    EXPECT_EQ(profile.ledger.used().records, 1u);
}

const std::string nvprof_header =
    "\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Stream\",\"Name\"\n";

TEST_F(Books, BalanceForNvprofsTraceAndItsWarningsAreReported) {
    const RecordedProfile profile =
        read("==12== Warning: 7 records were lost\n" + nvprof_header + "ms,us,,,,\n" +
             "1.5,12.5,,\"V100 (0)\",7,\"gemm\"\n1.6,2.5,,\"V100 (0)\",7\n"
             "1.7,abc,,\"V100 (0)\",7,\"relu\"\n1.8,4.0,,\"V100 (0)\",7,\"\"\n");
    expect_balance(profile, 4, 12.5e3 + 4e3);
    const auto sentences = profile.ledger.sentences();
    EXPECT_TRUE(std::ranges::any_of(sentences, [](const std::string& sentence) {
        return sentence.find("7 records were lost") != sentence.npos;
    }));
}

TEST_F(Books, AnUnknownUnitOrNumberIsLeftOutAndCountedInEveryTable) {
    const RecordedProfile unit = read(nvprof_header + "ms,fortnight,,,,\n1.5,12,,\"V\",7,\"a\"\n");
    EXPECT_TRUE(unit.operators.empty());
    EXPECT_EQ(unit.ledger.left_out(LeftOutReason::unknown_unit), 1u);
    const RecordedProfile number = read(nvprof_header + "ms,us,,,,\n1,\"1,234\",,\"V\",7,\"a\"\n");
    EXPECT_EQ(number.ledger.left_out(LeftOutReason::unclear_number), 1u);
    const RecordedProfile told =
        read(nvprof_header + "ms,us,,,,\n1,\"1,234\",,\"V\",7,\"a\"\n2,\"12,5\",,\"V\",7,\"a\"\n");
    EXPECT_EQ(time_of(told), Nanoseconds(1'234 + 12'500));
}

TEST_F(Books, ATableWithoutARowOfUnitsLosesNoRowSilently) {
    const RecordedProfile profile =
        read(nvprof_header + "1.5,12.5,,\"V\",7,\"a\"\n1.6,2.5,,\"V\",7,\"b\"\n", "nvprof");
    expect_balance(profile, 2, 0);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::unknown_unit), 2u);
    EXPECT_NE(error_of([&] { imported_run(profile, {}, nullptr); }).find("unit is unknown"),
              std::string::npos);
}

const std::string ncu_header =
    "\"ID\",\"Kernel Name\",\"Device\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

TEST_F(Books, BalanceForNsightComputeAndBothFormsAgree) {
    const RecordedProfile tall =
        read(ncu_header +
             "\"0\",\"k\",\"0\",\"gpu__time_duration.sum\",\"ms\",\"1.234,5\"\n"
             "\"0\",\"k\",\"0\",\"dram__bytes_read.sum\",\"Mbyte\",\"2,5\"\n"
             "\"0\",\"k\",\"0\",\"lts__x.sum\",\"furlong\",\"3\"\n"
             "\"0\",\"k\",\"0\",\"sm__y.avg\",\"%\",\"n/a\"\n");
    expect_balance(tall, 4, 1234.5e6);
    EXPECT_EQ(tall.counters.at(0).at("dram__bytes_read.sum").value, 2.5e6);
    const RecordedProfile wide = read(
        "\"ID\",\"Kernel Name\",\"Device\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\","
        "\"lts__x.sum\",\"sm__y.avg\"\n\"\",\"\",\"\",\"ms\",\"Mbyte\",\"furlong\",\"%\"\n"
        "\"0\",\"k\",\"0\",\"1.234,5\",\"2,5\",\"3\",\"n/a\"\n");
    expect_balance(wide, 5, 1234.5e6);  // and the kernel's row itself
    EXPECT_EQ(wide.counters.at(0).at("dram__bytes_read.sum").value, 2.5e6);
    EXPECT_EQ(wide.ledger.left_out(LeftOutReason::unknown_unit), 1u);
    EXPECT_EQ(tall.ledger.left_out(LeftOutReason::unknown_unit), 1u);
}

TEST_F(Books, ATimeWithoutAUnitIsIgnored) {
    const RecordedProfile profile =
        read(ncu_header +
             "\"0\",\"k\",\"0\",\"gpu__time_duration.sum\",\"\",\"12.5\"\n"
             "\"0\",\"k\",\"0\",\"dram__bytes_read.sum\",\"Kbyte\",\"2.5\"\n");
    EXPECT_FALSE(profile.has_times);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::unknown_unit), 1u);
}

TEST_F(Books, ASecondTableInTheSameFileIsCountedAndNotMixedWithTheFirst) {
    const std::string sums =
        "Time (%),Total Time (ns),Instances,Avg (ns),Name\n90.0,900,3,300.0,gemm\n\n"
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n50.0,5000,2,2500.0,cudaMalloc\n";
    const RecordedProfile profile = read(sums);
    expect_balance(profile, 2, 900);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::other_table), 1u);
    EXPECT_EQ(profile.texts[profile.operators.at(0).implementation], "3 calls");
}

const std::string counters_header =
    "\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Kernel_Name\",\"Counter_Name\","
    "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n";

TEST_F(Books, EachDispatchOfRocprofv3IsOneKernelWithItsCounters) {
    const RecordedProfile profile =
        read(counters_header +
             "1,\"Agent 4\",1,77,\"gemm\",\"SQ_WAVES\",64.0,2000,2900\n"
             "2,\"Agent 4\",1,77,\"relu\",\"SQ_WAVES\",8.0,3000,3100\n"
             "1,\"Agent 4\",1,77,\"gemm\",\"FETCH_SIZE\",1.5,2000,2900\n"
             "2,\"Agent 4\",1,77,\"relu\",\"FETCH_SIZE\",none,3000,3100\n");
    expect_balance(profile, 4, 1000);
    ASSERT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(profile.operators[0].time, Nanoseconds(900));
    EXPECT_EQ(profile.counters.at(0).at("SQ_WAVES").value, 64);
    EXPECT_EQ(profile.counters.at(0).at("FETCH_SIZE").value, 1.5);
    EXPECT_EQ(profile.counters.at(1).size(), 1u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::unclear_number), 1u);
}

TEST_F(Books, EachCounterColumnOfRocprofIsOne) {
    const RecordedProfile profile = read(
        "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"SQ_WAVES\",\"FETCH_SIZE\",\"BeginNs\","
        "\"EndNs\"\n"
        "0,\"gemm.kd\",0,0,64,1.5,1000,1900\n");
    expect_balance(profile, 3, 900);
    EXPECT_EQ(profile.counters.at(0).at("SQ_WAVES").value, 64);
}

TEST_F(Books, EachDeviceOfATableIsASeparateRecording) {
    RecordedProfile both = read(counters_header +
                                "1,\"Agent 4\",1,77,\"gemm\",\"SQ_WAVES\",64,2000,2900\n"
                                "2,\"Agent 5\",1,77,\"gemm\",\"SQ_WAVES\",32,1000,1400\n");
    EXPECT_EQ(time_of(both), Nanoseconds(1300));
    const std::vector<RecordedProfile> parts = by_device(std::move(both));
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(label_of(parts[0].devices.at(0)), "Agent 4 of process 77");
    EXPECT_EQ(time_of(parts[0]), Nanoseconds(900));
    EXPECT_EQ(parts[0].counters.at(0).at("SQ_WAVES").value, 64);
    EXPECT_EQ(time_of(parts[1]), Nanoseconds(400));
    EXPECT_EQ(parts[1].counters.at(0).at("SQ_WAVES").value, 32);
}

TEST(LedgerSentences, NameReasonNumberTimeAndWhat) {
    Ledger ledger;
    ledger.meet(3);
    EXPECT_FALSE(ledger.is_balanced());
    ledger.leave_out(LeftOutReason::unknown_kind, "overhead", Nanoseconds(1'500'000));
    ledger.leave_out(LeftOutReason::unknown_kind, "cuda_sync", Nanoseconds(500'000), 2);
    EXPECT_EQ(ledger.sentences(),
              std::vector<std::string>{"3 records of 2.000 ms in all are left out: they are of a "
                                       "kind that does not count as work (cuda_sync, overhead)"});
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
// Databases in the documented layout of Nsight Systems' export, of two versions (data/README.md).
#include "import/devices.h"
#include "import/formats.h"
#include "import/iterations.h"
#include "import/run.h"

#include "store/save.h"
#include "tests/support/dnnmark_database.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

constexpr std::int64_t process = 4711;
constexpr std::int64_t thread = (process << 24) | 4712;

const std::string strings =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'void gemm<float>(float*)'), (2, 'relu(float*)'),"
    "(3, 'conv1'), (4, 'cudaLaunchKernel_v7000'), (5, 'relu1');";

// Two iterations of two layers: the host launches a kernel in each range, and the device runs it
// later. `text` formats a range's name from an id and a text.
std::string activity(const char* text_columns, const char* conv1, const char* relu1) {
    std::string sql = fmt::format(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
        "deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, "
        "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, "
        "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, {}, globalTid "
        "INTEGER);",
        text_columns);
    for (int i = 0; i < 2; ++i) {
        const int at = i * 10'000;
        sql += fmt::format(
            "INSERT INTO NVTX_EVENTS VALUES ({0}, {1}, 59, {3}, {5}), ({2}, {2} + 100, 59, {4}, "
            "{5});",
            at + 100, at + 200, at + 300, conv1, relu1, thread);
        for (int k = 0; k < 2; ++k) {
            const int call = at + 110 + 200 * k;
            sql += fmt::format(
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {}, 4, 0);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, 0, 7, {}, {}, {}, {}, 32, "
                "14, 14, 32, 256, 1, 1, 1024, 0);",
                call, call + 10, thread, 10 * i + k + 1, at + 5000 + 1000 * k, at + 5700 + 1000 * k,
                10 * i + k + 1, process << 24, k + 1, k + 1);
        }
    }
    return strings + sql;
}
std::string new_schema() {
    return activity("text TEXT, textId INTEGER", "NULL, 3", "NULL, 5") +
           "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
           "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');"
           "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
           "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200');";
}
std::string old_schema() {
    return activity("text TEXT", "'conv1'", "'relu1'");
}

class NsightSystems : public ::testing::Test {
protected:
    RecordedProfile read(const std::string& sql) const {
        std::filesystem::remove(file_);
        return read_file(raw_database(file_, sql));
    }
    static RecordedProfile read_file(const std::filesystem::path& file) {
        ByteSource source(file);
        return format_for(file, "").read(source);
    }
    std::string refusal(const std::string& sql) const {
        return error_of([&] { read(sql); });
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "report.sqlite";
};

bool says(const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
}

TEST_F(NsightSystems, KernelsBelongToTheRangesAroundTheirLaunches) {
    for (const std::string& sql : {new_schema(), old_schema()}) {
        const RecordedProfile profile = read(sql);
        ASSERT_EQ(profile.operators.size(), 4u);
        const RecordedOperator& first = profile.operators[0];
        EXPECT_EQ(profile.texts[first.name], "void gemm<float>(float*)");
        EXPECT_EQ(profile.texts[first.scope], "conv1");
        EXPECT_EQ(first.time, Nanoseconds(700));
        EXPECT_EQ(profile.texts[profile.operators[1].scope], "relu1");
        ASSERT_TRUE(profile.spans.at(0).span.launch);
        EXPECT_EQ(profile.spans[0].span.launch->grid, (LaunchExtent{14, 14, 32}));
        EXPECT_EQ(profile.spans[0].span.stream, 7u);
        EXPECT_TRUE(profile.doubts.empty());
    }
}

// MIG instances, or a machine with two kinds of cards.
TEST_F(NsightSystems, ADeviceDoesNotGetAnotherDevicesName) {
    const std::string other = new_schema() + "INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA T4');";
    EXPECT_EQ(by_device(read(other)).at(0).processor, "");
    const std::string related =
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 4711), (0, 1, 4711);";
    EXPECT_EQ(by_device(read(other + related)).at(0).processor, "NVIDIA T4");
    EXPECT_EQ(by_device(read(new_schema())).at(0).processor, "NVIDIA H200");
}

TEST_F(NsightSystems, TheRunHasAStepForEachRangeASampleForEachIterationAndTheTrace) {
    const ImportedRun imported = imported_run(read(new_schema()), {}, nullptr);
    ASSERT_EQ(imported.run.steps.size(), 2u);
    EXPECT_EQ(imported.run.steps[0].layer, "conv1");
    EXPECT_EQ(imported.by[0], "module path");
    EXPECT_EQ(std::get<Samples>(imported.run.steps[0].time).values.size(), 2u);
    EXPECT_EQ(imported.run.provenance.at("gpu.name"), "NVIDIA H200");
    EXPECT_EQ(imported.run.provenance.at("backend.version"), "export schema 3.25.0");
    ASSERT_TRUE(imported.run.trace);
    EXPECT_EQ(imported.run.trace->spans.at(0).layer, "conv1");
}

TEST_F(NsightSystems, RangesOfPyTorchsEmitNvtxAreOperatorsAndGradients) {
    const std::string sql =
        new_schema() +
        fmt::format(
            "DELETE FROM NVTX_EVENTS; INSERT INTO NVTX_EVENTS VALUES "
            "(100, 200, 59, 'aten::conv2d, seq = 12, op_id = 7', NULL, {0}), "
            "(300, 400, 59, 'autograd::engine::evaluate_function: ConvolutionBackward0, seq = 12', "
            "NULL, {0});",
            thread);
    const RecordedProfile profile = read(sql);
    ASSERT_EQ(profile.operators.size(), 4u);  // two of them and the second iteration's kernels
    EXPECT_EQ(profile.texts[profile.operators[0].name], "aten::conv2d");
    EXPECT_EQ(profile.texts[profile.operators[1].name], "ConvolutionBackward0");
    EXPECT_EQ(profile.operators[1].forward, 1u);
}

TEST_F(NsightSystems, RangesNamedByANumberAreIterations) {
    const std::string sql =
        new_schema() + fmt::format(
                           "INSERT INTO NVTX_EVENTS VALUES (50, 9000, 59, 'iteration 0', "
                           "NULL, {0}), (10050, 19000, 59, 'iteration 1', NULL, {0});",
                           thread);
    const RecordedIterations iterations = iterations_in(read(sql), {});
    EXPECT_EQ(iterations.count, 2u);
    EXPECT_EQ(iterations.how, "marked by the tool");
}

TEST_F(NsightSystems, CallsOfAnotherProcessWithTheSameNumberLaunchNothingHere) {
    const std::string sql =
        new_schema() +
        fmt::format("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = {};", (process + 1) << 24);
    const RecordedProfile profile = read(sql);
    ASSERT_EQ(profile.operators.size(), 4u);
    EXPECT_EQ(profile.operators[0].scope, 0u);
    EXPECT_FALSE(profile.spans[0].has_call);
}

// Both have a thread that marks its own two iterations, and each numbers its calls from 1.
std::string two_processes() {
    const std::int64_t other = process + 1;
    std::string sql =
        new_schema() +
        fmt::format(
            "INSERT INTO NVTX_EVENTS VALUES (50, 9000, 59, 'iteration 0', NULL, {0}), "
            "(10050, 19000, 59, 'iteration 1', NULL, {0});",
            thread);
    for (const auto& [table, column] : {std::pair{"CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"},
                                        std::pair{"CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"},
                                        std::pair{"NVTX_EVENTS", "globalTid"}}) {
        sql += fmt::format(
            "CREATE TABLE more AS SELECT * FROM {0}; UPDATE more SET {1} = {1} + {2}, start = "
            "start "
            "+ 30, end = end + 60; INSERT INTO {0} SELECT * FROM more; DROP TABLE more;",
            table, column, (other - process) << 24);
    }
    return sql;
}

TEST_F(NsightSystems, EachDeviceOfEachProcessIsARunAndTheTimesAddUp) {
    const std::string sql =
        two_processes() +
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE correlationId % 10 = 2;";
    RecordedProfile whole = read(sql);
    const double used = whole.ledger.used().nanoseconds;
    EXPECT_EQ(used, 4 * 700 + 4 * 730);
    const std::vector<RecordedProfile> parts = by_device(std::move(whole));
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_EQ(label_of(parts[0].devices.at(0)), "device 0 of process 4711");
    std::vector<strata::Run> runs;
    double recorded = 0;
    for (const RecordedProfile& part : parts) {
        const ImportedRun imported =
            imported_run(part,
                         {.content = {{"recording", "a"}, {"device", label_of(part.devices.at(0))}},
                          .created = "2026-11-27T05:00:00Z"},
                         nullptr);
        runs.push_back(imported.run);
        EXPECT_EQ(imported.run.provenance.at("import.iterations"), "2, marked by the tool");
        ASSERT_EQ(imported.run.steps.size(), 1u);
        EXPECT_EQ(std::get<Samples>(imported.run.steps[0].time).values.size(), 2u);
        for (const RecordedOperator& one : part.operators) {
            recorded += static_cast<double>(one.time.count());
        }
    }
    EXPECT_EQ(recorded, used);
    const Database database = Database::open(directory_.path() / "runs.sqlite");
    EXPECT_EQ(save_imported(database, runs), 4u);
    EXPECT_EQ(save_imported(database, runs), 0u);
}

TEST_F(NsightSystems, GraphsTracedAsAWholeAreWork) {
    const RecordedProfile profile =
        read(strings +
             "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, graphId, "
             "streamId, correlationId, globalPid);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1000, 5000, 0, 3, 7, 1, 0);");
    ASSERT_EQ(profile.spans.size(), 1u);
    EXPECT_EQ(profile.spans[0].span.name, "[CUDA graph] 3");
    EXPECT_EQ(profile.operators.at(0).time, Nanoseconds(4000));
}

TEST_F(NsightSystems, RecordsOfOtherTablesAndRangesAreCountedAndWarningsReported) {
    const RecordedProfile profile =
        read(new_schema() +
             "CREATE TABLE OSRT_API (start, end); INSERT INTO OSRT_API VALUES (1, 11), (20, 50);"
             "INSERT INTO NVTX_EVENTS VALUES (5, 25, 60, 'across', NULL, 1), (7, NULL, 59, 'open', "
             "NULL, 1), (8, NULL, 34, 'mark', NULL, 1);"
             "CREATE TABLE ENUM_DIAGNOSTIC_SEVERITY_LEVEL (id, name);"
             "INSERT INTO ENUM_DIAGNOSTIC_SEVERITY_LEVEL VALUES (1, 'Info'), (2, 'Warning');"
             "CREATE TABLE DIAGNOSTIC_EVENT (severity, text); INSERT INTO DIAGNOSTIC_EVENT VALUES "
             "(1, 'started'), (2, '12 events were lost');");
    const Ledger& ledger = profile.ledger;
    EXPECT_TRUE(ledger.is_balanced());
    EXPECT_EQ(ledger.met(), 4u + 4u + 4u + 2u + 2u);  // kernels, calls, ranges, and those here
    EXPECT_EQ(ledger.left_out(LeftOutReason::unknown_kind), 3u);
    EXPECT_EQ(ledger.left_out(LeftOutReason::unpaired), 1u);
    EXPECT_EQ(ledger.left_out().nanoseconds, 10 + 30 + 20);
    EXPECT_TRUE(says(ledger.sentences().back(), "12 events were lost"));
}

TEST_F(NsightSystems, WithoutRangesOrCallsTheKernelsRemain) {
    for (const char* missing : {"NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME"}) {
        const RecordedProfile profile = read(new_schema() + fmt::format("DROP TABLE {};", missing));
        ASSERT_EQ(profile.operators.size(), 4u) << missing;
        EXPECT_EQ(profile.operators[0].scope, 0u);
    }
}

TEST_F(NsightSystems, CopiesAndFillsAreSpansToo) {
    const RecordedProfile profile = read(
        strings +
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, correlationId, "
        "globalPid, bytes, copyKind);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1000, 2000, 0, 7, 1, 0, 4096, 1);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, streamId, correlationId, "
        "globalPid, bytes);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (3000, 3500, 0, 7, 2, 0, 64);");
    ASSERT_EQ(profile.spans.size(), 2u);
    EXPECT_EQ(profile.spans[0].span.name, "[CUDA memcpy HtoD]");
    EXPECT_EQ(profile.spans[0].span.bytes, Bytes(4096));
    EXPECT_EQ(profile.spans[1].span.kind, SpanKind::fill);
}

TEST_F(NsightSystems, ImplausibleTimesAndKernelsWithoutANameAreCounted) {
    const RecordedProfile profile =
        read(new_schema() +
             "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = -9223372036854775807 WHERE "
             "correlationId = 1; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 99, "
             "shortName = 99 WHERE correlationId = 2;");
    EXPECT_EQ(profile.spans.size(), 2u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::implausible_time), 1u);
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::nameless), 1u);
}

TEST_F(NsightSystems, ADatabaseOfAnotherProgramIsRefused) {
    EXPECT_TRUE(says(refusal("CREATE TABLE letters (text)"), "has no kernels of Nsight Systems"));
    EXPECT_TRUE(says(refusal(strings), "has no kernels of Nsight Systems"));
    EXPECT_TRUE(says(refusal(strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (begin, stop)"),
                     "has no column start"));
    EXPECT_FALSE(is_nsight_systems_file(
        raw_database(directory_.path() / "other.sqlite", "CREATE TABLE letters (text)")));
    EXPECT_TRUE(
        is_nsight_systems_file(raw_database(directory_.path() / "export.sqlite", new_schema())));
}

TEST_F(NsightSystems, AViewThatComputesForeverIsNotATable) {
    const std::string sentence = refusal(
        strings +
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        "SELECT i FROM n) SELECT i AS start, i AS \"end\" FROM n");
    EXPECT_TRUE(says(sentence, "has no kernels of Nsight Systems")) << sentence;
    const std::string ranges =
        new_schema() +
        "DROP TABLE NVTX_EVENTS; CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
        "ALL SELECT i FROM n) SELECT i AS start, i AS \"end\" FROM n";
    EXPECT_EQ(read(ranges).operators.size(), 4u);
}

TEST_F(NsightSystems, ADamagedFileGivesOneSentenceOrItsIntactPart) {
    raw_database(file_, new_schema());
    std::ifstream stream(file_, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    std::size_t refused = 0;
    for (std::size_t at = 0; at + 64 < whole.size(); at += 509) {
        std::string damaged = whole;
        damaged.replace(at, 64, 64, '\xff');
        const auto file = directory_.write("damaged", damaged);
        const std::string sentence = error_of([&] { read_file(file); });
        EXPECT_EQ(sentence.find('\n'), std::string::npos);
        refused += sentence == "no error" ? 0U : 1U;
        const auto torn = directory_.write("torn", whole.substr(0, at + 16));
        EXPECT_NE(error_of([&] { read_file(torn); }), "no error") << at;
    }
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace strata

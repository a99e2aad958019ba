// SPDX-License-Identifier: MIT The recognition of files, and the advice for known files that are
// not read.
#include "import/formats.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

class Recognition : public ::testing::Test {
protected:
    std::string format_of(const std::string& text, const std::string& name = "file") const {
        const auto file = directory_.path() / name;
        std::ofstream(file, std::ios::binary) << text;
        std::string format;
        const std::string refused =
            error_of([&] { format = std::string(format_for(file, "").name); });
        return format.empty() ? refused : format;
    }

    TemporaryDirectory directory_;
};

TEST_F(Recognition, TracesOfOldPyTorchBeginWithKernelsAndHaveNoSchema) {
    for (const char* category : {"Kernel", "kernel", "Memcpy", "gpu_memset", "Operator"}) {
        const std::string event =
            R"({"ph": "X", "cat" : ")" + std::string(category) + R"(", "name": "k", "ts": 1})";
        EXPECT_EQ(format_of(R"({"traceEvents": [)" + event + "]}"), "pytorch") << category;
    }
    EXPECT_EQ(format_of(R"([{"name":"aten::mm","ph":"X","ts":1,"dur":2,"pid":"CPU functions"}])"),
              "pytorch");
}

TEST_F(Recognition, TheProfilerBeforeKinetoNamesItsProcessesForHostAndDevice) {
    const auto file = directory_.path() / "old.json";
    std::ofstream(file)
        << R"([{"name":"aten::mm","ph":"X","ts":1,"dur":2,"tid":0,"pid":"CPU functions"},)"
           R"({"name":"gemm","ph":"X","ts":5,"dur":9,"tid":0,"pid":"CUDA functions"}])";
    ByteSource source(file);
    const RecordedProfile profile = format_for(file, "").read(source);
    ASSERT_EQ(profile.spans.size(), 1u);
    EXPECT_EQ(profile.spans[0].span.name, "gemm");
    EXPECT_EQ(profile.ledger.left_out(LeftOutReason::host_alone), 1u);
}

TEST_F(Recognition, ATraceOfAnUnknownToolIsDescribed) {
    const std::string sentence =
        format_of(R"({"traceEvents": [{"ph": "X", "cat": "letters", "name": "k", "ts": 1}]})");
    EXPECT_NE(sentence.find("category 'letters'"), std::string::npos) << sentence;
}

struct Refused {
    const char* text;
    const char* name;
    const char* advice;  // a part of it
};

TEST_F(Recognition, FilesThatMustBeExportedFirstAreNamedWithTheCommand) {
    for (const Refused& one :
         {Refused{"x", "report.nsys-rep", "nsys export --type sqlite"},
          Refused{"x", "report.qdrep", "nsys export --type sqlite"},
          Refused{"x", "kernels.ncu-rep", "--csv --page raw"},
          Refused{"x", "host.xplane.pb", "xprof"},
          Refused{"x", "results.pftrace", "--output-format csv"},
          Refused{"==1== Profiling result:\nNo kernels were profiled.\n", "n.csv",
                  "a log of nvprof that recorded no kernels"},
          Refused{"==PROF== Connected\n==WARNING== No kernels were profiled.\n", "n.csv",
                  "a log of ncu that recorded no kernels"},
          Refused{"Name  Self CPU %  Self CPU  CPU total %  CPU total  # of Calls\n", "t.txt",
                  "export_chrome_trace"},
          Refused{"==PROF== x\n  gemm (1,1,1), Device 0\n    Section: GPU Speed Of Light\n",
                  "n.txt", "add --csv"},
          Refused{"==1== Profiling result:\n  Type  Time(%)      Time     Calls       Avg  Min\n",
                  "n.txt", "add --csv"},
          Refused{"Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n", "a.csv",
                  "cuda_gpu_kern_sum"},
          Refused{"\"Domain\",\"Function\",\"Process_Id\",\"Start_Timestamp\"\n", "h.csv",
                  "kernel_trace.csv"},
          Refused{"SQLite format 3 CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (CREATE TABLE "
                  "StringTable (_id_ INTEGER",
                  "a.nvvp", "--print-gpu-trace"},
          Refused{"SQLite format 3 CREATE TABLE rocpd_api (CREATE TABLE rocpd_op (", "a.rpd",
                  "rpd2tracing.py"},
          Refused{"SQLite format 3 CREATE TABLE \"rocpd_kernel_dispatch_0a\" (", "a.db",
                  "rocpd convert"},
          Refused{"{\"viztracer_metadata\": {}}", "v.json", "torch.profiler"},
          Refused{"Time (%),Total Time (ms),Num Calls,Avg (ms),Name\n", "a.csv",
                  "cuda_gpu_kern_sum"},
          Refused{"Time (%),Total Time (ns),Count,Avg (ns),StdDev (ns),Operation\n", "m.csv",
                  "cuda_gpu_kern_sum"},
          Refused{"Time (%),Total Time (us),Instances,StdDev (us),Style,Range\n", "r.csv",
                  "cuda_gpu_kern_sum"},
          Refused{"[{\"Time (%)\": 9, \"Total Time (ns)\": 5}]", "k.json", "--format csv"},
          Refused{"Node_Id,Logical_Node_Id,Agent_Type\n", "agents.csv", "kernel_trace.csv"},
          Refused{"Kind,Operation,Agent_Id,Start_Timestamp\n", "m.csv", "kernel_trace.csv"},
          Refused{"Name,Calls,TotalDurationNs\n", "1_hip_api_stats.csv", "kernel_stats.csv"},
          Refused{"mkldnn_verbose,exec,relu,jit:avx2,forward,x,,,1\n", "m.log", "MKL-DNN"},
          Refused{"[{\"count\": 9}, {\"timeMs\": 1, \"averageMs\": 1}]", "p.json", "trtexec"},
          Refused{"{\"schema\": \"1.0.2-chakra.0.0.4\"}", "e.json", "has no times"},
          Refused{"PERFILE2", "p.data", "perf"},
          Refused{"PK\x03\x04", "x", "zip archive"},
          Refused{"\x28\xB5\x2F\xFD", "x", "zstd -d"},
          Refused{"BZh9", "x", "bzip2 -d"},
          Refused{"x", "network.onnx", "strata show"},
          Refused{"", "x", "is empty"},
          Refused{" \r\n", "x", "is empty"}}) {
        const std::string sentence = format_of(one.text, one.name);
        EXPECT_NE(sentence.find(one.advice), std::string::npos) << one.name << ": " << sentence;
    }
}

// A file as written by Windows shells and editors.
TEST_F(Recognition, Utf16AndByteOrderMarksAreRead) {
    const std::string text =
        "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"cat\": "
        "\"cpu_op\", \"name\": \"aten::mm\", \"ts\": 5, \"dur\": 2}]}";
    std::string little = "\xFF\xFE", big = "\xFE\xFF";
    for (const char c : text) {
        little += {c, '\0'};
        big += {'\0', c};
    }
    for (const std::string& written : {"\xEF\xBB\xBF" + text, little, big}) {
        EXPECT_EQ(format_of(written), "pytorch");
        ByteSource source(directory_.path() / "file");
        const RecordedProfile profile = read_kineto(source);
        ASSERT_EQ(profile.operators.size(), 1u);
        EXPECT_EQ(profile.operators[0].time, Nanoseconds(2000));
    }
    EXPECT_NE(format_of(little.substr(2)).find("save it as UTF-8"), std::string::npos);
}

// Without the mark removed, all kernels would be one, because no column is called "ID".
TEST_F(Recognition, AByteOrderMarkIsNotPartOfATablesFirstColumn) {
    const auto file = directory_.path() / "kernels.csv";
    std::ofstream(file) << "\xEF\xBB\xBF\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric "
                           "Unit\",\"Metric Value\"\r\n"
                           "\"0\",\"a\",\"gpu__time_duration.sum\",\"us\",\"5\"\r\n"
                           "\"1\",\"b\",\"gpu__time_duration.sum\",\"us\",\"7\"\r\n";
    ByteSource source(file);
    EXPECT_EQ(format_for(file, "").read(source).operators.size(), 2u);
}

TEST_F(Recognition, AFolderIsNamedAsOne) {
    EXPECT_NE(error_of([&] { ByteSource source(directory_.path()); }).find("is a folder"),
              std::string::npos);
}

TEST_F(Recognition, ATableNextToAnotherInTheSameFileIsStillRead) {
    EXPECT_EQ(format_of("Time (%),Total Time (ns),Instances,Avg (ns),Name\n1,1,1,1,a\n\n"
                        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n"),
              "nsys-stats");
}

}  // namespace
}  // namespace strata

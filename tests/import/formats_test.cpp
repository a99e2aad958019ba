// SPDX-License-Identifier: MIT
// What a file is recognised by, and what is said of one that is known and not read.
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

TEST_F(Recognition, FilesThatMustBeExportedFirstAreNamedWithHow) {
    for (const Refused& one :
         {Refused{"x", "report.nsys-rep", "nsys export --type sqlite"},
          Refused{"x", "report.qdrep", "nsys export --type sqlite"},
          Refused{"x", "kernels.ncu-rep", "--csv --page raw"},
          Refused{"x", "host.xplane.pb", "xprof"},
          Refused{"x", "results.pftrace", "--output-format csv"},
          Refused{"==1== Profiling result:\nNo kernels were profiled.\n", "n.csv",
                  "nvprof says that it recorded no kernels"},
          Refused{"==PROF== Connected\n==WARNING== No kernels were profiled.\n", "n.csv",
                  "ncu says that it recorded no kernels"},
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
          Refused{"{\"viztracer_metadata\": {}}", "v.json", "torch.profiler"}}) {
        const std::string sentence = format_of(one.text, one.name);
        EXPECT_NE(sentence.find(one.advice), std::string::npos) << one.name << ": " << sentence;
    }
}

TEST_F(Recognition, OneTableBesideAnotherOfTheSameFileIsStillRead) {
    EXPECT_EQ(format_of("Time (%),Total Time (ns),Instances,Avg (ns),Name\n1,1,1,1,a\n\n"
                        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n"),
              "nsys-stats");
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"
#include "import/ledger.h"
#include "op/work.h"
#include "trace/trace.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strata {

// A text of a recording, which repeats few of them millions of times. 0 is the empty one.
using TextId = std::uint32_t;

// Every text of a recording, once.
class TextPool {
public:
    TextPool() { id_of(""); }
    TextPool(const TextPool&) = delete;  // what finds a text points into the texts
    TextPool& operator=(const TextPool&) = delete;
    TextPool(TextPool&&) = default;
    TextPool& operator=(TextPool&&) = default;

    // Broken UTF-8 becomes '?', and what is longer than 4,096 bytes is cut. Throws Error beyond a
    // million different texts.
    TextId id_of(std::string_view text);
    std::string_view operator[](TextId id) const { return all_[id]; }

private:
    std::deque<std::string> all_;
    std::unordered_map<std::string_view, TextId> ids_;
};

// An operator as a framework called it once, or work of a device that nothing is known to have
// called. Its time is its own on the host, or the sum of the device's spans that it launched.
struct RecordedOperator {
    TextId name = 0;            // as the tool calls it: "aten::conv2d"
    TextId scope = 0;           // the ranges and modules around it: "layer1.0.conv1"; 0: none
    TextId shape = 0;           // of its operands, as the tool has it: "4x3x16x16 8x3x3x3"
    TextId implementation = 0;  // what ran: "jit:avx512_core", "CPUExecutionProvider"; or nothing
    TextId layout = 0;          // of what it reads and writes, where the tool says it
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    bool gives_both_gradients = false;  // a backward pass of data and weights in one
    std::uint32_t forward =
        0;                     // the place of the operator whose gradient it computes, plus 1; or 0
    std::uint32_t stream = 0;  // thread or stream
    std::uint32_t device = 0;  // where there are no spans: place among the recording's devices
    std::uint32_t launch = 0;  // the call that launched it, as a graph with others; 0: not recorded
    Nanoseconds start = {};
    Nanoseconds time = {};
};

// A period that the tool marked as one iteration, from the first to the second; it ends before it.
using MarkedIteration = std::pair<Nanoseconds, Nanoseconds>;

// Work of a device, and the operator that launched it.
struct RecordedSpan {
    Span span = {};
    std::uint32_t launched_by = 0;  // place among the operators
    std::uint32_t device = 0;       // place among the recording's devices
    bool has_call = false;          // a recorded call says so
};

// A device as one process of the recording used it: each is a run of its own (import/devices.h).
struct RecordedDevice {
    std::string name = {};                         // "NVIDIA H200", or nothing
    std::string number = {};                       // as the file counts or calls it: "1", "Agent 4"
    std::int64_t process = 0;                      // 0: the file does not tell, or there is but one
    std::vector<MarkedIteration> iterations = {};  // that this process marked
};

// What a tool counted of an operator, by the counter's name (CUPTI's where it has one:
// "dram__bytes_read.sum"), in plain units and nanoseconds.
struct RecordedCounter {
    double value = 0;
    std::string unit = {};
};
using RecordedCounters = std::map<std::string, RecordedCounter, std::less<>>;

// What every importer yields: timed operators of one or several iterations. Whatever comes after
// it (import/layers.h, import/run.h) is the same for every tool.
struct RecordedProfile {
    std::string tool = {};     // "pytorch"; the imported run's backend
    std::string version = {};  // of the tool, where the file says it
    TextPool texts = {};
    std::vector<RecordedOperator> operators = {};             // in the order of their starts
    std::vector<MarkedIteration> iterations = {};             // empty: the tool marked none
    std::vector<RecordedSpan> spans = {};                     // empty: times are the host's
    std::map<std::uint32_t, RecordedCounters> counters = {};  // by place of the operator
    std::vector<RecordedDevice> devices = {};  // empty: one, of which the file tells nothing
    int threads = 0;                           // 0: the file does not say
    std::string processor = {};  // or device that it ran on: "NVIDIA H200"; or nothing
    bool has_starts = true;      // false if the tool records durations alone
    bool has_times = true;       // false if it records counters alone
    bool is_summary = false;     // each operator is the sum of its calls in all iterations
    std::vector<std::string> doubts = {};  // sentences: what the file lacks, what its times are
    Ledger ledger = {};                    // of the file: what was used, and what was left out
};

// Whether a duration can be one: not negative and at most an hour (trace/trace.h).
bool is_plausible(Nanoseconds duration);

}  // namespace strata

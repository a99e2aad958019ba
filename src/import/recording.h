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

// A text of a recording, which repeats few texts millions of times. 0 is the empty text.
using TextId = std::uint32_t;

// The distinct texts of a recording.
class TextPool {
public:
    TextPool() { id_of(""); }
    TextPool(const TextPool&) = delete;  // lookups point into the texts
    TextPool& operator=(const TextPool&) = delete;
    TextPool(TextPool&&) = default;
    TextPool& operator=(TextPool&&) = default;

    // Invalid UTF-8 becomes '?', and texts are cut at 4,096 bytes. Throws Error beyond a million
    // different texts.
    TextId id_of(std::string_view text);
    std::string_view operator[](TextId id) const { return all_[id]; }

private:
    std::deque<std::string> all_;
    std::unordered_map<std::string_view, TextId> ids_;
};

// One call of an operator by a framework, or work of a device with an unknown caller. Its time is
// its own on the host, or the sum of the device's spans that it launched.
struct RecordedOperator {
    TextId name = 0;            // the tool's name: "aten::conv2d"
    TextId scope = 0;           // the ranges and modules around it: "layer1.0.conv1"; 0: none
    TextId shape = 0;           // of its operands, in the tool's form: "4x3x16x16 8x3x3x3"
    TextId implementation = 0;  // what ran: "jit:avx512_core", "CPUExecutionProvider"; or nothing
    TextId layout = 0;          // of what it reads and writes, if the tool states it
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    bool gives_both_gradients = false;  // a combined backward pass of data and weights
    std::uint32_t forward = 0;  // index of the operator whose gradient it computes, plus 1; or 0
    std::uint32_t stream = 0;   // thread or stream
    std::uint32_t device = 0;   // without spans: index among the recording's devices
    std::uint32_t launch =
        0;  // the call that launched it, perhaps a graph with others; 0: not recorded
    Nanoseconds start = {};
    Nanoseconds time = {};
};

// A period that the tool marked as one iteration: [first, second).
using MarkedIteration = std::pair<Nanoseconds, Nanoseconds>;

// Work of a device, and the operator that launched it.
struct RecordedSpan {
    Span span = {};
    std::uint32_t launched_by = 0;  // index among the operators
    std::uint32_t device = 0;       // index among the recording's devices
    bool has_call = false;          // a recorded call proves it
};

// A device as used by one process of the recording: each becomes a separate run (import/devices.h).
struct RecordedDevice {
    std::string name = {};                         // "NVIDIA H200", or nothing
    std::string number = {};                       // the file's number or name: "1", "Agent 4"
    std::int64_t process = 0;                      // 0: unknown, or there is only one
    std::vector<MarkedIteration> iterations = {};  // iterations that this process marked
};

// A tool's counters for an operator, by name (CUPTI's if it has one: "dram__bytes_read.sum"), in
// plain units and nanoseconds.
struct RecordedCounter {
    double value = 0;
    std::string unit = {};
};
using RecordedCounters = std::map<std::string, RecordedCounter, std::less<>>;

// The result of every importer: timed operators of one or several iterations. Everything after it
// (import/layers.h, import/run.h) is the same for every tool.
struct RecordedProfile {
    std::string tool = {};     // "pytorch"; the imported run's backend
    std::string version = {};  // of the tool, if the file states it
    TextPool texts = {};
    std::vector<RecordedOperator> operators = {};             // in the order of their starts
    std::vector<MarkedIteration> iterations = {};             // empty: the tool marked none
    std::vector<RecordedSpan> spans = {};                     // empty: times are the host's
    std::map<std::uint32_t, RecordedCounters> counters = {};  // by operator index
    std::vector<RecordedDevice> devices = {};  // empty: one, about which the file says nothing
    int threads = 0;                           // 0: unknown
    std::string processor = {};  // or device that it ran on: "NVIDIA H200"; or nothing
    bool has_starts = true;      // false if the tool records only durations
    bool has_times = true;       // false if it records only counters
    bool is_summary = false;     // each operator is the sum of its calls in all iterations
    std::vector<std::string> doubts =
        {};              // sentences about what the file lacks and what its times mean
    Ledger ledger = {};  // the file's ledger: what was used and what was left out
};

// Whether a duration is plausible: not negative and at most an hour (trace/trace.h).
bool is_plausible(Nanoseconds duration);

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"
#include "import/source.h"
#include "trace/trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

namespace strata {

// The bytes of a JSON file in the form that nlohmann's parser takes. The reader's
// `require_short_value` is called every few thousand bytes: a token without an end would fill the
// memory.
template <class Reader>
class JsonBytes {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    JsonBytes() = default;
    JsonBytes(ByteSource& source, const Reader& reader) : source_(&source), reader_(&reader) {}

    // (Between tokens a blank is equivalent to any other permitted control character.)
    char operator*() const {
        const char byte = source_->byte();
        return static_cast<unsigned char>(byte) < ' ' ? ' ' : byte;
    }
    JsonBytes& operator++() {
        source_->advance();
        if (++taken_ % bytes_between_checks == 0) {
            reader_->require_short_value();
        }
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const JsonBytes& a, const JsonBytes& b) {
        return a.has_ended() == b.has_ended();
    }

private:
    bool has_ended() const { return source_ == nullptr || source_->is_at_end(); }

    static constexpr std::uint64_t bytes_between_checks = 4096;

    ByteSource* source_ = nullptr;
    const Reader* reader_ = nullptr;
    std::uint64_t taken_ = 0;
};

// One event of a Chrome trace ("Trace Event Format"), with the arguments by which some profiler
// records layers. Texts are unchanged from the file; empty or nothing if the event lacks them.
struct ChromeEvent {
    std::string phase = {};     // "X": with a duration
    std::string category = {};  // "cpu_op"
    std::string name = {};
    std::int64_t process = 0;  // a number, or a text's hash
    std::int64_t thread = 0;
    std::optional<Nanoseconds> start = {};
    std::optional<Nanoseconds> duration = {};
    // Arguments:
    std::int64_t external_id = 0;  // Kineto: the operator that launched a kernel
    std::int64_t correlation = 0;  // Kineto: the call that launched a kernel
    std::int64_t sequence = -1;    // Kineto: shared by an operator and its gradient
    std::int64_t device = -1;
    std::int64_t stream = -1;
    std::int64_t bytes = -1;
    std::int64_t registers = 0;
    std::int64_t shared_memory = 0;
    std::int64_t group = -1;  // TensorFlow: the step
    std::array<std::int64_t, 3> grid = {};
    std::array<std::int64_t, 3> block = {};
    std::string inputs = {};     // extents of the operands: "4x3x16x16 8x3x3x3"
    std::string operation = {};  // ONNX Runtime: "Conv"; TensorFlow: the graph's operation
    std::string provider = {};   // ONNX Runtime: "CPUExecutionProvider"
    std::string module = {};     // Kineto of TorchScript: the module hierarchy
    std::string meta_name = {};  // of a metadata event: the process's or thread's name
};

// Reports the timed content of a trace (an object with `traceEvents`, or an array) in the file's
// order: events with a name, a start and a plausible duration as "X", including "B" and "E" pairs
// of one thread; and metadata ("M"). Every event with a duration is a record that the profile's
// ledger has met, and `tell` books it; those without a name, a time or a partner are booked here.
// Times are microseconds, whatever `displayTimeUnit` says (it is for viewers: "Trace Event
// Format").
//
// Memory does not grow with the file. Control characters within texts are read as blanks (some
// profilers write them). A doubt says if the file is truncated, and warnings of the profiler next
// to the events are quoted. Throws Error, naming file and byte, for invalid JSON except a truncated
// end, for nesting deeper than 256, and for a text or number of more than 64 MB.
void read_chrome_trace(ByteSource& source, RecordedProfile& profile,
                       const std::function<void(const ChromeEvent&)>& tell);

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace strata {

enum class HostEventKind : std::uint8_t {
    operation,  // an operator of the framework
    range,      // a range named by a user or library, around operators
    module,     // the same, of a module's call or an operator's module
    call,       // a call of the interface that launches work on a device
};

// How to treat a recording in which several processes have operators.
enum class SeveralProcesses { keep_busiest, keep_all };

// A time period on one host thread.
struct HostEvent {
    Nanoseconds start = {};
    Nanoseconds duration = {};
    std::uint64_t correlation = 0;  // a call's, shared by what it launched; 0: none
    TextId name = 0;
    TextId inputs = 0;
    std::uint32_t track = 0;        // the thread (CallNesting::track_of)
    std::uint32_t external_id = 0;  // an operator's, shared by what it launched; 0: none
    std::int32_t sequence = -1;     // shared by an operator and its gradient; -1: none
    HostEventKind kind = HostEventKind::operation;
    bool is_record = true;  // false: another event of the same record booked it

    Nanoseconds end() const { return start + duration; }
};

// The scope of a range within another's: "layer1.0" within "layer1" stays unchanged, because it is
// a full path; "conv1" within it is "layer1/conv1".
TextId scope_within(TextPool& texts, TextId outer, std::string_view inner);

// Whether a range marks an iteration: "ProfilerStep#3", "iteration 3", "step_3".
bool is_iteration_range(std::string_view name);

// Builds a profile's operators from the records of host threads and devices: the outermost operator
// on a thread counts, within the ranges around it. A span belongs to the operator that launched it
// or, if a call outside operators did, is an operator within the call's ranges. Autograd functions,
// by PyTorch's names, are gradients of the operator with their number; ranges named
// "ProfilerStep#3" or "iteration 3" are iterations. A range in which nothing was recorded, such as
// a communication library's wait, is an operator if the times are the host's. Each event and span
// added is booked in the recording's ledger, which has met it.
class CallNesting {
public:
    // Requires: the recording outlives it, and has no operators yet.
    explicit CallNesting(RecordedProfile& recording,
                         SeveralProcesses several = SeveralProcesses::keep_busiest)
        : recording_(recording), several_(several) {}

    std::uint32_t track_of(std::int64_t process, std::int64_t thread);
    void add(const HostEvent& event) { host_.push_back(event); }
    // `device`: its index among the recording's devices.
    void add(Span span, std::uint64_t correlation, std::uint32_t external_id,
             std::uint32_t device = 0);

    // Whether a host event of that process was added.
    bool has_host(std::int64_t process) const;

    // Fills in the recording's operators, spans and iterations.
    void finish();

private:
    // The enclosing events of the next event on its thread.
    struct Open {
        Nanoseconds end = {};
        TextId scope = 0;
        std::uint32_t operation = 0;  // the outermost operator's index, plus 1; 0: in none
        Pass pass = Pass::forward;
        Nanoseconds operation_end = {};
        bool is_elsewhere = false;  // in a process that is left out
        bool is_marked = false;     // in a marked iteration
    };
    // The launcher of the work with that number.
    struct Launch {
        std::uint64_t number = 0;
        Nanoseconds start = {};
        Open from = {};
    };
    using Launches = std::vector<Launch>;
    // A range and its enclosing scope.
    struct IdleRange {
        HostEvent event = {};
        Open around = {};
    };
    // An open event. Its ranges without content are those of idle_ from `first_idle` on.
    struct Frame {
        Open open = {};
        std::optional<IdleRange> range = {};  // ranges that may turn out to be empty
        bool holds_work = false;
        std::size_t first_idle = 0;
    };

    void choose_process();
    bool is_elsewhere(const HostEvent& event) const;
    void nest(const HostEvent& event);
    void nest_operation(const HostEvent& event, Open& open);
    void open_range(const HostEvent& event, Open& open);
    void close_frame();
    void add_idle_ranges();
    void book_host_operators(const std::vector<Nanoseconds>& times, bool has_device);
    void book_as_context(const HostEvent& event);
    std::uint32_t add_operator(const HostEvent& event, const Open& around);
    void link_gradients();
    void leave_out_spans_from_elsewhere();
    const Launch* launch_of(std::size_t span) const;
    void attribute_spans();
    std::uint32_t add_span_operator(std::size_t place, const Launch* launch);
    void sort_operators();

    RecordedProfile& recording_;
    SeveralProcesses several_;
    std::deque<HostEvent> host_ = {};
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> tracks_ = {};
    std::vector<std::int64_t> process_of_track_ = {};
    std::optional<std::int64_t> process_ = {};  // the imported process; nothing: there is only one
    std::uint32_t track_ = 0;
    std::vector<Frame> open_ = {};
    std::vector<IdleRange> idle_ = {};
    std::map<std::int64_t, std::vector<MarkedIteration>> marks_ = {};  // by process
    std::vector<std::int32_t> gradient_of_ = {};  // by operator: its sequence number as a gradient
    std::map<std::pair<std::int64_t, std::int32_t>, std::uint32_t> by_sequence_ = {};  // of process
    Launches calls_ = {};
    Launches external_ = {};
    std::vector<std::pair<std::uint64_t, std::uint32_t>> span_numbers_ =
        {};  // correlation, external
};

}  // namespace strata

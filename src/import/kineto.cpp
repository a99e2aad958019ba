// SPDX-License-Identifier: MIT
#include "import/chrome_trace.h"
#include "import/formats.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace strata {

namespace {

constexpr std::string_view evaluate = "autograd::engine::evaluate_function: ";
constexpr std::string_view module_prefix = "nn.Module: ";
constexpr std::string_view step_prefix = "ProfilerStep#";
constexpr std::string_view optimizer_prefix = "Optimizer.step#";

constexpr std::int32_t no_gradient = -1;
constexpr std::int32_t without_number = -2;  // as AccumulateGrad

enum class HostEventKind : std::uint8_t { operation, range, module, call };

// A period of one thread of the host.
struct HostEvent {
    Nanoseconds start = {};
    Nanoseconds duration = {};
    TextId name = 0;
    TextId inputs = 0;
    std::uint32_t track = 0;
    std::uint32_t correlation = 0;  // of a call
    std::uint32_t external_id = 0;  // of an operator
    std::int32_t sequence = -1;
    HostEventKind kind = HostEventKind::operation;

    Nanoseconds end() const { return start + duration; }
};

// By what a kernel finds the operator that launched it: a number, and that operator's place.
using KinetoCalls = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::optional<std::uint32_t> launcher_of(const KinetoCalls& calls, std::uint32_t number) {
    const auto found = std::ranges::lower_bound(calls, number, {}, &KinetoCalls::value_type::first);
    return number != 0 && found != calls.end() && found->first == number
               ? std::optional(found->second)
               : std::nullopt;
}

class KinetoReader {
public:
    explicit KinetoReader(ByteSource& source) : source_(source) {}

    RecordedProfile read() {
        recording_.tool = "pytorch";
        const ChromeTraceEnd end =
            read_chrome_trace(source_, [this](const ChromeEvent& event) { take(event); });
        std::ranges::sort(host_, {}, [](const HostEvent& e) {
            return std::tuple(e.track, e.start, -e.duration, e.kind != HostEventKind::range);
        });
        for (const HostEvent& event : host_) {
            nest(event);
        }
        std::deque<HostEvent>().swap(host_);
        link_gradients();
        attribute_spans();
        sort_operators();
        add_doubts(recording_, left_out_, end);
        return std::move(recording_);
    }

private:
    // A range or operator that encloses what comes next on its thread.
    struct Open {
        Nanoseconds end = {};
        TextId scope = 0;
        std::uint32_t operation = 0;  // the outermost operator's place, plus 1; 0: in none
        Pass pass = Pass::forward;
    };

    void take(const ChromeEvent& event);
    void take_host(const ChromeEvent& event, HostEventKind kind);
    void take_span(const ChromeEvent& event, SpanKind kind);
    void nest(const HostEvent& event);
    void open_range(const HostEvent& event, Open& open);
    std::uint32_t add_operator(const HostEvent& event, const Open& around);
    TextId scope_within(TextId outer, std::string_view inner);
    void link_gradients();
    void attribute_spans();
    void sort_operators();
    std::uint32_t track_of(const ChromeEvent& event) {
        return tracks_
            .emplace(std::pair(event.process, event.thread),
                     static_cast<std::uint32_t>(tracks_.size()))
            .first->second;
    }

    ByteSource& source_;
    RecordedProfile recording_ = {};
    LeftOut left_out_ = {};
    std::deque<HostEvent> host_ = {};
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> tracks_ = {};
    std::uint32_t track_ = 0;
    std::vector<Open> open_ = {};
    // By operator: of a backward function its sequence number, or `without_number`.
    std::vector<std::int32_t> gradient_of_ = {};
    std::map<std::int32_t, std::uint32_t> by_sequence_ = {};
    KinetoCalls calls_ = {};
    KinetoCalls external_ = {};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> span_calls_ = {};  // correlation, external
};

// The number of a call or operator, of which Kineto has 32 bits; 0 for any other.
std::uint32_t call_number(std::int64_t number) {
    return number > 0 && number <= 0xffffffff ? static_cast<std::uint32_t>(number) : 0;
}

void KinetoReader::take(const ChromeEvent& event) {
    if (event.phase != "X") {
        return;
    }
    const std::string& category = event.category;
    if (category == "cpu_op" || category == "Operator") {
        take_host(event, HostEventKind::operation);
    } else if (category == "user_annotation") {
        take_host(event, HostEventKind::range);
    } else if (category == "python_function") {
        if (event.name.starts_with(module_prefix)) {
            take_host(event, HostEventKind::module);
        }
    } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime" ||
               category == "hip_runtime") {
        take_host(event, HostEventKind::call);
    } else if (category == "kernel" || category == "Kernel") {
        take_span(event, SpanKind::kernel);
    } else if (category == "gpu_memcpy" || category == "Memcpy") {
        take_span(event, SpanKind::copy);
    } else if (category == "gpu_memset" || category == "Memset") {
        take_span(event, SpanKind::fill);
    }
}

void KinetoReader::take_host(const ChromeEvent& event, HostEventKind kind) {
    if (!is_usable(event, left_out_)) {
        return;
    }
    std::string_view name = event.name;
    if (kind == HostEventKind::module) {
        name.remove_prefix(module_prefix.size());
    }
    HostEvent& host = host_.emplace_back();
    host = {.start = *event.start,
            .duration = *event.duration,
            .name = kind == HostEventKind::call ? 0 : recording_.texts.id_of(name),
            .track = track_of(event),
            .correlation = call_number(event.correlation),
            .external_id = call_number(event.external_id),
            .kind = kind};
    if (kind == HostEventKind::operation) {
        host.inputs = recording_.texts.id_of(trim(event.inputs));
        host.sequence = event.sequence >= 0 && event.sequence < 0x7fffffff
                            ? static_cast<std::int32_t>(event.sequence)
                            : -1;
    }
}

std::uint32_t extent_of(std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 0x7fffffff));
}

void KinetoReader::take_span(const ChromeEvent& event, SpanKind kind) {
    if (!is_usable(event, left_out_)) {
        return;
    }
    RecordedSpan& recorded = recording_.spans.emplace_back();
    recorded.span = {.kind = kind,
                     .name = std::string(recording_.texts[recording_.texts.id_of(event.name)]),
                     .device = extent_of(event.device),
                     .stream = extent_of(event.stream),
                     .start = *event.start,
                     .end = *event.start + *event.duration};
    if (kind == SpanKind::kernel && event.block[0] > 0) {
        const auto extents = [](const std::array<std::int64_t, 3>& of) {
            return LaunchExtent{extent_of(of[0]), extent_of(of[1]), extent_of(of[2])};
        };
        recorded.span.launch = {.grid = extents(event.grid),
                                .block = extents(event.block),
                                .registers = extent_of(event.registers),
                                .static_shared = Bytes(extent_of(event.shared_memory))};
    }
    if (kind != SpanKind::kernel && event.bytes >= 0) {
        recorded.span.bytes = Bytes(static_cast<double>(event.bytes));
    }
    span_calls_.emplace_back(call_number(event.correlation), call_number(event.external_id));
}

// "layer1.0" within "layer1" stands alone, because it says where it is.
TextId KinetoReader::scope_within(TextId outer, std::string_view inner) {
    const std::string_view around = recording_.texts[outer];
    const bool says_it = inner.size() > around.size() && inner.starts_with(around) &&
                         (inner[around.size()] == '.' || inner[around.size()] == '/');
    return outer == 0 || says_it ? recording_.texts.id_of(inner)
                                 : recording_.texts.id_of(fmt::format("{}/{}", around, inner));
}

void KinetoReader::nest(const HostEvent& event) {
    if (event.track != track_) {
        open_.clear();
        track_ = event.track;
    }
    while (!open_.empty() && open_.back().end <= event.start) {
        open_.pop_back();
    }
    Open open = open_.empty() ? Open{} : open_.back();
    open.end = event.end();
    if (event.kind == HostEventKind::call) {
        if (open.operation != 0 && event.correlation != 0) {
            calls_.emplace_back(event.correlation, open.operation - 1);
        }
        return;
    }
    if (event.kind != HostEventKind::operation) {
        open_range(event, open);
    } else if (open.operation == 0) {
        open.operation = add_operator(event, open) + 1;
    }
    if (event.kind == HostEventKind::operation) {
        const std::uint32_t outermost = open.operation - 1;
        if (event.external_id != 0 && !span_calls_.empty()) {
            external_.emplace_back(event.external_id, outermost);
        }
        if (event.sequence >= 0 && gradient_of_[outermost] == no_gradient) {
            by_sequence_[event.sequence] = outermost;
        }
    }
    open_.push_back(open);
}

void KinetoReader::open_range(const HostEvent& event, Open& open) {
    const std::string name(recording_.texts[event.name]);
    if (name.starts_with(step_prefix)) {
        recording_.iterations.emplace_back(event.start, event.end());
        return;
    }
    if (name.starts_with(optimizer_prefix)) {
        open.pass = Pass::update;
    }
    if (open.operation == 0) {
        open.scope = scope_within(open.scope, name);
    }
}

std::uint32_t KinetoReader::add_operator(const HostEvent& event, const Open& around) {
    const std::string_view name = recording_.texts[event.name];
    const bool is_gradient = name.starts_with(evaluate);
    RecordedOperator& added = recording_.operators.emplace_back();
    added = {.name = is_gradient ? recording_.texts.id_of(std::string(name.substr(evaluate.size())))
                                 : event.name,
             .scope = around.scope,
             .shape = event.inputs,
             .pass = is_gradient ? Pass::backward_data : around.pass,
             .gives_both_gradients = is_gradient,
             .stream = event.track,
             .start = event.start,
             .time = event.duration};
    gradient_of_.push_back(!is_gradient         ? no_gradient
                           : event.sequence < 0 ? without_number
                                                : event.sequence);
    return static_cast<std::uint32_t>(recording_.operators.size() - 1);
}

void KinetoReader::link_gradients() {
    for (std::size_t i = 0; i < gradient_of_.size(); ++i) {
        const auto found = by_sequence_.find(gradient_of_[i]);
        if (gradient_of_[i] >= 0 && found != by_sequence_.end()) {
            recording_.operators[i].forward = found->second + 1;
        }
    }
}

// Where a device worked, its time is that of the operators; those that launched nothing go.
void KinetoReader::attribute_spans() {
    if (recording_.spans.empty()) {
        return;
    }
    std::ranges::sort(calls_);
    std::ranges::sort(external_);
    std::vector<bool> launched(recording_.operators.size());
    for (RecordedOperator& one : recording_.operators) {
        one.time = {};
    }
    for (std::size_t i = 0; i < recording_.spans.size(); ++i) {
        RecordedSpan& recorded = recording_.spans[i];
        auto launcher = launcher_of(calls_, span_calls_[i].first);
        launcher = launcher ? launcher : launcher_of(external_, span_calls_[i].second);
        recorded.has_call = launcher.has_value();
        if (!launcher) {
            launcher = static_cast<std::uint32_t>(recording_.operators.size());
            recording_.operators.push_back({.name = recording_.texts.id_of(recorded.span.name),
                                            .stream = recorded.span.stream,
                                            .start = recorded.span.start});
            launched.push_back(true);
        }
        launched[*launcher] = true;
        recorded.launched_by = *launcher;
        recording_.operators[*launcher].time += recorded.span.end - recorded.span.start;
    }
    for (std::size_t i = 0; i < launched.size(); ++i) {
        if (!launched[i]) {
            recording_.operators[i].time = Nanoseconds(-1);  // launched nothing: sort_operators
        }
    }
}

// By start; the places that others refer to move along. A forward operator that launched nothing
// stays where a gradient refers to it.
void KinetoReader::sort_operators() {
    std::vector<RecordedOperator>& all = recording_.operators;
    std::vector<bool> is_referred(all.size());
    for (const RecordedOperator& one : all) {
        if (one.forward != 0) {
            is_referred[one.forward - 1] = true;
        }
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].time >= Nanoseconds::zero() || is_referred[i]) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return all[i].start; });
    std::vector<std::uint32_t> place(all.size());
    std::vector<RecordedOperator> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t i : order) {
        place[i] = static_cast<std::uint32_t>(sorted.size());
        sorted.push_back(all[i]);
        sorted.back().time = std::max(all[i].time, Nanoseconds::zero());
    }
    for (RecordedOperator& one : sorted) {
        one.forward = one.forward == 0 ? 0 : place[one.forward - 1] + 1;
    }
    for (RecordedSpan& span : recording_.spans) {
        span.launched_by = place[span.launched_by];
    }
    all = std::move(sorted);
    std::ranges::sort(recording_.iterations);
}

}  // namespace

RecordedProfile read_kineto(ByteSource& source) {
    return KinetoReader(source).read();
}

}  // namespace strata

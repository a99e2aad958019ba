// SPDX-License-Identifier: MIT
#include "import/nesting.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

namespace strata {

namespace {

constexpr std::string_view evaluate = "autograd::engine::evaluate_function: ";
constexpr std::string_view optimizer_prefix = "Optimizer.step#";

constexpr std::int32_t no_gradient = -1;
constexpr std::int32_t without_number = -2;  // such as AccumulateGrad

// The earlier event first; of two that begin together, the enclosing one.
auto nesting_order(const HostEvent& event) {
    return std::tuple(event.track, event.start, -event.duration,
                      event.kind == HostEventKind::operation || event.kind == HostEventKind::call);
}

std::string name_of_process(std::int64_t process) {
    return fmt::format("process {}", process);
}

}  // namespace

TextId scope_within(TextPool& texts, TextId outer, std::string_view inner) {
    const std::string_view around = texts[outer];
    const bool says_it = inner.size() > around.size() && inner.starts_with(around) &&
                         (inner[around.size()] == '.' || inner[around.size()] == '/');
    return outer == 0 || says_it ? texts.id_of(inner)
                                 : texts.id_of(fmt::format("{}/{}", around, inner));
}

bool is_iteration_range(std::string_view name) {
    constexpr std::array words = {std::string_view("profilerstep"), std::string_view("iteration"),
                                  std::string_view("iter"), std::string_view("step")};
    const auto digits = name.find_last_not_of("0123456789") + 1;
    if (digits == name.size()) {
        return false;
    }
    std::string word(name.substr(0, digits));
    word.resize(word.find_last_not_of(" _-:#") + 1);
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(words, word) != words.end();
}

std::uint32_t CallNesting::track_of(std::int64_t process, std::int64_t thread) {
    const auto next = static_cast<std::uint32_t>(tracks_.size());
    const auto [track, is_new] = tracks_.emplace(std::pair(process, thread), next);
    if (is_new) {
        process_of_track_.push_back(process);
    }
    return track->second;
}

void CallNesting::add(Span span, std::uint64_t correlation, std::uint32_t external_id,
                      std::uint32_t device) {
    recording_.spans.push_back({.span = std::move(span), .device = device});
    span_numbers_.emplace_back(correlation, external_id);
}

bool CallNesting::has_host(std::int64_t process) const {
    return std::ranges::find(process_of_track_, process) != process_of_track_.end();
}

// The process whose operators took the most time.
void CallNesting::choose_process() {
    std::map<std::int64_t, Nanoseconds> times;
    for (const HostEvent& event : host_) {
        if (event.kind == HostEventKind::operation) {
            times[process_of_track_[event.track]] += event.duration;
        }
    }
    if (times.size() < 2 || several_ == SeveralProcesses::keep_all) {
        return;
    }
    const auto busiest =
        std::ranges::max_element(times, {}, [](const auto& process) { return process.second; });
    process_ = busiest->first;
    recording_.doubts.push_back(
        fmt::format("{} processes have operators: only those of process {} are imported, which "
                    "took the most time",
                    times.size(), *process_));
    std::erase_if(host_, [this](const HostEvent& event) {
        const bool is_erased = event.kind != HostEventKind::call && is_elsewhere(event);
        if (is_erased && event.is_record) {
            recording_.ledger.leave_out(LeftOutReason::other_process,
                                        name_of_process(process_of_track_[event.track]),
                                        event.duration);
        }
        return is_erased;
    });
}

bool CallNesting::is_elsewhere(const HostEvent& event) const {
    return process_ && process_of_track_[event.track] != *process_;
}

void CallNesting::finish() {
    choose_process();
    std::ranges::sort(host_, {}, nesting_order);
    for (const HostEvent& event : host_) {
        nest(event);
    }
    while (!open_.empty()) {
        close_frame();
    }
    std::deque<HostEvent>().swap(host_);
    link_gradients();
    add_idle_ranges();
    attribute_spans();
    sort_operators();
    std::ranges::sort(recording_.iterations);
    for (RecordedDevice& device : recording_.devices) {
        device.iterations = marks_[device.process];
        std::ranges::sort(device.iterations);
    }
}

void CallNesting::book_as_context(const HostEvent& event) {
    if (event.is_record) {
        recording_.ledger.use_as_context(event.duration);
    }
}

void CallNesting::nest(const HostEvent& event) {
    while (!open_.empty() && (event.track != track_ || open_.back().open.end <= event.start)) {
        close_frame();
    }
    track_ = event.track;
    Frame frame;
    frame.open = open_.empty() ? Open{} : open_.back().open;
    frame.first_idle = idle_.size();
    Open& open = frame.open;
    if (open.operation_end <= event.start) {  // a range that began in an operator may outlast it
        open.operation = 0;
    }
    if (event.kind == HostEventKind::call) {
        book_as_context(event);
        if (!open_.empty()) {
            open_.back().holds_work = true;
        }
        open.is_elsewhere = is_elsewhere(event);
        const bool is_known =
            open.operation != 0 || open.scope != 0 || open.is_elsewhere || open.is_marked;
        if (is_known && event.correlation != 0) {
            calls_.push_back({event.correlation, event.start, open});
        }
        return;
    }
    const IdleRange range{event, open};
    open.end = event.end();
    if (event.kind == HostEventKind::operation) {
        frame.holds_work = true;
        nest_operation(event, open);
    } else if (event.is_record && open.operation == 0 &&
               !is_iteration_range(recording_.texts[event.name])) {
        frame.range = range;  // it is booked when it ends
        open_range(event, open);
    } else {
        book_as_context(event);
        open_range(event, open);
    }
    open_.push_back(std::move(frame));
}

// Only the outermost of nested empty ranges remains.
void CallNesting::close_frame() {
    const Frame frame = std::move(open_.back());
    open_.pop_back();
    if (frame.holds_work && !open_.empty()) {
        open_.back().holds_work = true;
    }
    if (!frame.range) {
        return;
    }
    if (frame.holds_work) {
        book_as_context(frame.range->event);
        return;
    }
    while (idle_.size() > frame.first_idle) {
        book_as_context(idle_.back().event);
        idle_.pop_back();
    }
    idle_.push_back(*frame.range);
}

// If the times are the host's, a range of a library or user without operators is an operator with
// the range's name: a wait for another process takes time. A module in which nothing was recorded
// has no work for a layer.
void CallNesting::add_idle_ranges() {
    for (const IdleRange& idle : idle_) {
        const HostEvent& event = idle.event;
        if (recording_.spans.empty() && event.kind == HostEventKind::range) {
            Open open = idle.around;
            open_range(event, open);
            add_operator(event, open);
        } else {
            recording_.ledger.leave_out(LeftOutReason::empty_range, recording_.texts[event.name],
                                        event.duration);
        }
    }
}

void CallNesting::nest_operation(const HostEvent& event, Open& open) {
    if (open.operation == 0) {
        open.operation = add_operator(event, open) + 1;
        open.operation_end = event.end();
    } else {
        book_as_context(event);
    }
    const std::uint32_t outermost = open.operation - 1;
    if (event.external_id != 0 && !recording_.spans.empty()) {
        external_.push_back({event.external_id, event.start, open});
    }
    if (event.sequence >= 0 && gradient_of_[outermost] == no_gradient) {
        by_sequence_[{process_of_track_[event.track], event.sequence}] = outermost;
    }
}

void CallNesting::open_range(const HostEvent& event, Open& open) {
    const std::string name(recording_.texts[event.name]);
    if (is_iteration_range(name)) {
        recording_.iterations.emplace_back(event.start, event.end());
        marks_[process_of_track_[event.track]].emplace_back(event.start, event.end());
        open.is_marked = true;
        return;
    }
    if (name.starts_with(optimizer_prefix)) {
        open.pass = Pass::update;
    }
    if (open.operation == 0) {
        open.scope = scope_within(recording_.texts, open.scope, name);
    }
}

std::uint32_t CallNesting::add_operator(const HostEvent& event, const Open& around) {
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

void CallNesting::link_gradients() {
    for (std::size_t i = 0; i < gradient_of_.size(); ++i) {
        const auto process = process_of_track_[recording_.operators[i].stream];
        const auto found = by_sequence_.find({process, gradient_of_[i]});
        if (gradient_of_[i] >= 0 && found != by_sequence_.end()) {
            recording_.operators[i].forward = found->second + 1;
        }
    }
}

// Each process numbers its own calls: if several have a span's number, the last one before it began
// launched it.
const CallNesting::Launch* CallNesting::launch_of(std::size_t span) const {
    const Nanoseconds start = recording_.spans[span].span.start;
    const auto among = [&](const Launches& all, std::uint64_t number) -> const Launch* {
        const auto found = std::ranges::equal_range(all, number, {}, &Launch::number);
        const Launch* last = number == 0 || found.empty() ? nullptr : &found.front();
        for (const Launch& launch : found) {
            last = process_ && number != 0 && launch.start <= start &&
                           (last->start > start || last->start <= launch.start)
                       ? &launch
                       : last;
        }
        return last;
    };
    const auto [correlation, external] = span_numbers_[span];
    const Launch* call = among(calls_, correlation);
    return call != nullptr ? call : among(external_, external);
}

void CallNesting::leave_out_spans_from_elsewhere() {
    if (!process_) {
        return;
    }
    std::vector<RecordedSpan> spans;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> numbers;
    for (std::size_t i = 0; i < recording_.spans.size(); ++i) {
        const Launch* launch = launch_of(i);
        if (launch == nullptr || !launch->from.is_elsewhere) {
            spans.push_back(std::move(recording_.spans[i]));
            numbers.push_back(span_numbers_[i]);
        } else {
            const Span& span = recording_.spans[i].span;
            recording_.ledger.leave_out(LeftOutReason::other_process, "what they launched",
                                        span.end - span.start);
        }
    }
    recording_.spans = std::move(spans);
    span_numbers_ = std::move(numbers);
}

// If a device worked, the operators' times are the device's; those that launched nothing get a
// negative time, which marks them for sort_operators.
void CallNesting::attribute_spans() {
    const bool has_device = !recording_.spans.empty();
    std::vector<Nanoseconds> host_times;
    for (const RecordedOperator& one : recording_.operators) {
        host_times.push_back(one.time);
    }
    if (has_device) {
        std::ranges::stable_sort(calls_, {}, &Launch::number);
        std::ranges::stable_sort(external_, {}, &Launch::number);
        leave_out_spans_from_elsewhere();
        constexpr Nanoseconds nothing_launched = Nanoseconds(-1);
        for (RecordedOperator& one : recording_.operators) {
            one.time = nothing_launched;
        }
    }
    for (std::size_t i = 0; i < recording_.spans.size(); ++i) {
        RecordedSpan& recorded = recording_.spans[i];
        const Launch* launch = launch_of(i);
        recorded.has_call = launch != nullptr;
        recorded.launched_by = launch != nullptr && launch->from.operation != 0
                                   ? launch->from.operation - 1
                                   : add_span_operator(i, launch);
        RecordedOperator& launcher = recording_.operators[recorded.launched_by];
        const Nanoseconds time = recorded.span.end - recorded.span.start;
        launcher.time = std::max(launcher.time, Nanoseconds::zero()) + time;
        recording_.ledger.use(time);
    }
    book_host_operators(host_times, has_device);
}

// Requires: the operators of the host come first.
void CallNesting::book_host_operators(const std::vector<Nanoseconds>& times, bool has_device) {
    for (std::size_t i = 0; i < times.size(); ++i) {
        const RecordedOperator& one = recording_.operators[i];
        if (!has_device) {
            recording_.ledger.use(times[i]);
        } else if (one.time >= Nanoseconds::zero()) {
            recording_.ledger.use_as_context(times[i]);
        } else {
            recording_.ledger.leave_out(LeftOutReason::host_alone, recording_.texts[one.name],
                                        times[i]);
        }
    }
}

// Adds an operator for a span that no operator launched. It starts at its launch, within the
// iteration that the host marked.
std::uint32_t CallNesting::add_span_operator(std::size_t place, const Launch* launch) {
    const Span& span = recording_.spans[place].span;
    const Open around = launch == nullptr ? Open{} : launch->from;
    recording_.operators.push_back(
        {.name = recording_.texts.id_of(span.name),
         .scope = around.scope,
         .pass = around.pass,
         .stream = span.stream,
         .launch = static_cast<std::uint32_t>(span_numbers_[place].first),
         .start = launch == nullptr ? span.start : launch->start});
    return static_cast<std::uint32_t>(recording_.operators.size() - 1);
}

// Sorts by start and updates references. A forward operator that launched nothing stays if a
// gradient refers to it.
void CallNesting::sort_operators() {
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
}

}  // namespace strata

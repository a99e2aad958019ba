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
constexpr std::int32_t without_number = -2;  // as AccumulateGrad

// The sooner event first, and of two that begin together the one around the other.
auto nesting_order(const HostEvent& event) {
    return std::tuple(event.track, event.start, -event.duration,
                      event.kind != HostEventKind::range);
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

void CallNesting::add(Span span, std::uint64_t correlation, std::uint32_t external_id) {
    recording_.spans.push_back({.span = std::move(span)});
    span_numbers_.emplace_back(correlation, external_id);
}

// That whose operators took the most time.
void CallNesting::choose_process() {
    std::map<std::int64_t, Nanoseconds> times;
    for (const HostEvent& event : host_) {
        if (event.kind == HostEventKind::operation) {
            times[process_of_track_[event.track]] += event.duration;
        }
    }
    if (times.size() < 2) {
        return;
    }
    const auto busiest =
        std::ranges::max_element(times, {}, [](const auto& process) { return process.second; });
    process_ = busiest->first;
    std::vector<std::string> others;
    for (const auto& [process, time] : times) {
        if (process != *process_ && others.size() < 8) {
            others.push_back(std::to_string(process));
        }
    }
    recording_.doubts.push_back(fmt::format(
        "{} processes have operators: those of process {} are imported, which took the most time, "
        "and those of {}{} are left out",
        times.size(), *process_, join(others, ", "),
        others.size() + 1 < times.size() ? " and others" : ""));
    std::erase_if(host_, [this](const HostEvent& event) {
        return event.kind != HostEventKind::call && is_elsewhere(event);
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
    std::deque<HostEvent>().swap(host_);
    link_gradients();
    attribute_spans();
    sort_operators();
    std::ranges::sort(recording_.iterations);
}

void CallNesting::nest(const HostEvent& event) {
    if (event.track != track_) {
        open_.clear();
        track_ = event.track;
    }
    while (!open_.empty() && open_.back().end <= event.start) {
        open_.pop_back();
    }
    Open open = open_.empty() ? Open{} : open_.back();
    if (event.kind == HostEventKind::call) {
        open.is_elsewhere = is_elsewhere(event);
        const bool is_known = open.operation != 0 || open.scope != 0 || open.is_elsewhere;
        if (is_known && event.correlation != 0) {
            calls_.push_back({event.correlation, event.start, open});
        }
        return;
    }
    open.end = event.end();
    if (event.kind == HostEventKind::operation) {
        nest_operation(event, open);
    } else {
        open_range(event, open);
    }
    open_.push_back(open);
}

void CallNesting::nest_operation(const HostEvent& event, Open& open) {
    if (open.operation == 0) {
        open.operation = add_operator(event, open) + 1;
    }
    const std::uint32_t outermost = open.operation - 1;
    if (event.external_id != 0 && !recording_.spans.empty()) {
        external_.push_back({event.external_id, event.start, open});
    }
    if (event.sequence >= 0 && gradient_of_[outermost] == no_gradient) {
        by_sequence_[event.sequence] = outermost;
    }
}

void CallNesting::open_range(const HostEvent& event, Open& open) {
    const std::string name(recording_.texts[event.name]);
    if (is_iteration_range(name)) {
        recording_.iterations.emplace_back(event.start, event.end());
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
        const auto found = by_sequence_.find(gradient_of_[i]);
        if (gradient_of_[i] >= 0 && found != by_sequence_.end()) {
            recording_.operators[i].forward = found->second + 1;
        }
    }
}

// Each process numbers its calls by itself: of several with a span's number, it was launched by the
// last one before it began.
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
        }
    }
    recording_.spans = std::move(spans);
    span_numbers_ = std::move(numbers);
}

// Where a device worked, its time is that of the operators; those that launched nothing get a
// negative one, by which sort_operators knows them.
void CallNesting::attribute_spans() {
    if (recording_.spans.empty()) {
        return;
    }
    std::ranges::stable_sort(calls_, {}, &Launch::number);
    std::ranges::stable_sort(external_, {}, &Launch::number);
    leave_out_spans_from_elsewhere();
    constexpr Nanoseconds nothing_launched = Nanoseconds(-1);
    for (RecordedOperator& one : recording_.operators) {
        one.time = nothing_launched;
    }
    for (std::size_t i = 0; i < recording_.spans.size(); ++i) {
        RecordedSpan& recorded = recording_.spans[i];
        const Launch* launch = launch_of(i);
        recorded.has_call = launch != nullptr;
        recorded.launched_by = launch != nullptr && launch->from.operation != 0
                                   ? launch->from.operation - 1
                                   : add_span_operator(recorded.span, launch);
        RecordedOperator& launcher = recording_.operators[recorded.launched_by];
        launcher.time = std::max(launcher.time, Nanoseconds::zero()) +
                        (recorded.span.end - recorded.span.start);
    }
}

// Of a span that no operator launched. It starts where it was launched, within the iteration that
// the host marked.
std::uint32_t CallNesting::add_span_operator(const Span& span, const Launch* launch) {
    const Open around = launch == nullptr ? Open{} : launch->from;
    recording_.operators.push_back({.name = recording_.texts.id_of(span.name),
                                    .scope = around.scope,
                                    .pass = around.pass,
                                    .stream = span.stream,
                                    .start = launch == nullptr ? span.start : launch->start});
    return static_cast<std::uint32_t>(recording_.operators.size() - 1);
}

// By start; the places that others refer to move along. A forward operator that launched nothing
// stays where a gradient refers to it.
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

// SPDX-License-Identifier: MIT
#include "view/tracks.h"

#include "analyze/budget.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "measure/statistics.h"
#include "report/unicode.h"
#include "trace/kernel_name.h"
#include "view/machine.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>

namespace strata {

namespace {

using Details = std::vector<std::pair<std::string, TrackDetail>>;

Nanoseconds nanoseconds_of(Seconds time) {
    return Nanoseconds(std::llround(time.value * 1e9));
}

std::int64_t whole(double count) {
    return std::llround(count);
}

void add_text(Details& details, const char* name, const std::string& value) {
    if (!value.empty()) {
        details.emplace_back(name, clean_text(value));
    }
}

std::string task_text(const std::string& layer, Pass pass) {
    return fmt::format("{} {}", clean_text(layer), name_of(pass));
}

// ---- a run with a trace

std::string extent_text(const LaunchExtent& extent) {
    return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
}

Details details_of(const TracedSpan& traced) {
    Details details;
    add_text(details, "name", traced.span.name);
    details.emplace_back("evidence", std::string(name_of(traced.evidence)));
    if (traced.pass) {
        add_text(details, "layer", traced.layer);
        details.emplace_back("pass", std::string(name_of(*traced.pass)));
    }
    if (const auto& launch = traced.span.launch) {
        details.emplace_back("grid", extent_text(launch->grid));
        details.emplace_back("block", extent_text(launch->block));
        details.emplace_back("registers", std::int64_t{launch->registers});
        details.emplace_back("shared_bytes",
                             whole((launch->static_shared + launch->dynamic_shared).value));
    }
    if (traced.span.bytes) {
        details.emplace_back("bytes", whole(traced.span.bytes->value));
    }
    return details;
}

TrackEvent event_of(const TracedSpan& traced, Nanoseconds begin) {
    const Span& span = traced.span;
    const bool is_kernel = span.kind == SpanKind::kernel;
    return {.name = is_kernel ? clean_text(short_kernel_name(span.name))
                              : std::string(name_of(span.kind)),
            .category = std::string(name_of(span.kind)),
            .start = span.start - begin,
            .length = duration_of(span),
            .details = details_of(traced)};
}

// Spans are in order of their starts: consecutive ones of the same pass form one event.
void add_to_layers(const TracedSpan& traced, Nanoseconds begin, bool continues, Track& layers) {
    if (!traced.pass) {
        return;
    }
    if (!continues) {
        layers.events.push_back({.name = task_text(traced.layer, *traced.pass),
                                 .category = "layer",
                                 .start = traced.span.start - begin});
    }
    TrackEvent& event = layers.events.back();
    event.length = traced.span.end - begin - event.start;
}

// Kernels of one stream run in sequence, but a profiler's stamps may overlap, and layers on two
// streams do: an event that begins before the others have ended goes to a further track of the same
// name.
void add_without_overlap(Track track, std::vector<Track>& tracks) {
    using Busy = std::pair<Nanoseconds, std::size_t>;  // the end time and the track
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::set<std::size_t> free;
    for (TrackEvent& event : track.events) {
        for (; !busy.empty() && busy.top().first <= event.start; busy.pop()) {
            free.insert(busy.top().second);
        }
        if (free.empty()) {
            free.insert(tracks.size());
            tracks.push_back({.name = busy.empty()
                                          ? track.name
                                          : fmt::format("{}, {}", track.name, busy.size() + 1)});
        }
        const std::size_t chosen = free.extract(free.begin()).value();
        busy.emplace(event.start + event.length.value_or(Nanoseconds::zero()), chosen);
        tracks[chosen].events.push_back(std::move(event));
    }
}

void add_trace(const TraceResult& trace, RunTracks& result) {
    std::map<std::uint32_t, Track> streams;
    Track layers{.name = "layers"};
    const TracedSpan* previous = nullptr;
    Nanoseconds begin = {};
    for (const TracedSpan& traced : trace.spans) {
        if (!is_timed(traced.span)) {
            continue;
        }
        begin = previous == nullptr ? traced.span.start : begin;
        const bool continues =
            previous != nullptr && previous->layer == traced.layer && previous->pass == traced.pass;
        add_to_layers(traced, begin, continues, layers);
        streams[traced.span.stream].events.push_back(event_of(traced, begin));
        previous = &traced;
    }
    add_without_overlap(std::move(layers), result.tracks);
    for (auto& [stream, track] : streams) {
        track.name = fmt::format("stream {}", stream);
        add_without_overlap(std::move(track), result.tracks);
    }
}

// ---- a run without

Details details_of(const StepResult& step, Origin origin) {
    Details details;
    add_text(details, "layer", step.layer);
    add_text(details, "alias", step.alias);
    details.emplace_back("pass", std::string(name_of(step.pass)));
    details.emplace_back("kind", std::string(name_of(step.kind)));
    details.emplace_back("origin", std::string(name_of(origin)));
    details.emplace_back("status", std::string(name_of(status_of(step.time, origin))));
    add_text(details, "reason", reason_of(step.time));
    add_text(details, "operation", step.operation);
    add_text(details, "implementation", step.implementation);
    add_text(details, "algorithm", step.algorithm);
    add_text(details, "layout", step.layout);
    add_text(details, "problem", step.problem);
    details.emplace_back("flops", whole(step.flops.value));
    details.emplace_back("read_bytes", whole(step.read.value));
    details.emplace_back("written_bytes", whole(step.written.value));
    if (const auto* samples = std::get_if<Samples>(&step.time)) {
        details.emplace_back("samples", static_cast<std::int64_t>(samples->values.size()));
    }
    return details;
}

TrackEvent event_of(const StepResult& step, Origin origin, Nanoseconds start) {
    const std::string kind =
        step.kind == StepKind::compute ? std::string() : fmt::format(" ({})", name_of(step.kind));
    TrackEvent event{.name = task_text(step.layer, step.pass) + kind,
                     .category = "step",
                     .start = start,
                     .details = details_of(step, origin)};
    if (const auto* samples = std::get_if<Samples>(&step.time)) {
        event.length = nanoseconds_of(median_of(samples->values));
    }
    return event;
}

void add_rates(const StepResult& step, const TrackEvent& event, RunTracks& result) {
    const double seconds = event.length ? seconds_of(*event.length).value : 0;
    if (seconds > 0) {
        result.counters[0].values.emplace_back(event.start, step.flops.value / seconds * 1e-9);
        result.counters[1].values.emplace_back(event.start,
                                               (step.read + step.written).value / seconds * 1e-9);
    }
}

void add_steps(const Run& run, RunTracks& result) {
    Track steps{.name = "steps (medians end to end)"};
    result.counters = {{.name = "GFLOP/s"}, {.name = "GB/s"}};
    Nanoseconds now = {};
    for (const StepResult& step : run.steps) {
        if (std::holds_alternative<NoOp>(step.time)) {
            continue;
        }
        steps.events.push_back(event_of(step, run.origin, now));
        add_rates(step, steps.events.back(), result);
        now += steps.events.back().length.value_or(Nanoseconds::zero());
    }
    for (CounterTrack& counter : result.counters) {
        counter.values.emplace_back(now, 0);
    }
    if (const auto end_to_end = end_to_end_of(run)) {
        result.tracks.push_back({.name = "iteration (median)",
                                 .events = {{.name = "iteration",
                                             .category = "iteration",
                                             .length = nanoseconds_of(end_to_end->median)}}});
    }
    result.tracks.push_back(std::move(steps));
}

bool has_time(const RunTracks& tracks) {
    return std::ranges::any_of(tracks.tracks, [](const Track& track) {
        return std::ranges::any_of(
            track.events, [](const TrackEvent& event) { return event.length.has_value(); });
    });
}

}  // namespace

RunTracks tracks_of(const Run& run) {
    RunTracks result{.run = run.id,
                     .origin = std::string(name_of(run.origin)),
                     .name = clean_text(fmt::format("run {} ({}): {}", run.id, name_of(run.origin),
                                                    settings_line(run))),
                     .source = clean_text(machine_line(run))};
    if (run.trace) {
        result.name += clean_text(fmt::format(", {}", run.trace->device));
        result.times = "recorded: the iteration of median length, without the host's calls";
        add_trace(*run.trace, result);
    } else {
        result.times = fmt::format(
            "derived: the {} medians of the steps laid end to end; the gaps between them are not "
            "shown, and the whole iteration has a separate track",
            name_of(run.origin));
        add_steps(run, result);
    }
    if (!has_time(result)) {
        throw Error(fmt::format("run {} has no timeline, because no step has a time; strata "
                                "explain {} gives the reasons",
                                run.id, run.id),
                    ExitCode::usage);
    }
    return result;
}

}  // namespace strata

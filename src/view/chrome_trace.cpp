// SPDX-License-Identifier: MIT
#include "view/chrome_trace.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "trace/kernel_name.h"
#include "view/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr int layers_track = -1;

Json metadata(const char* what, int track, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", 0}, {"tid", track}, {"args", {{"name", name}}}};
}

std::string task_name(const TracedSpan& traced) {
    return traced.layer + " " + std::string(name_of(*traced.pass));
}

std::string extent_text(const LaunchExtent& extent) {
    return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
}

Json arguments_of(const TracedSpan& traced) {
    Json arguments = {{"name", traced.span.name}, {"evidence", name_of(traced.evidence)}};
    if (traced.pass) {
        arguments["layer"] = traced.layer;
        arguments["pass"] = name_of(*traced.pass);
    }
    if (const auto& launch = traced.span.launch) {
        arguments["grid"] = extent_text(launch->grid);
        arguments["block"] = extent_text(launch->block);
        arguments["registers"] = launch->registers;
        arguments["shared_bytes"] = (launch->static_shared + launch->dynamic_shared).value;
    }
    if (traced.span.bytes) {
        arguments["bytes"] = traced.span.bytes->value;
    }
    return arguments;
}

// Events of one iteration, from its first start on.
class Events {
public:
    explicit Events(const TraceResult& trace) {
        for (const TracedSpan& traced : trace.spans) {
            if (is_timed(traced.span)) {
                begin_ = begin_ ? std::min(*begin_, traced.span.start) : traced.span.start;
            }
        }
        add_tracks(trace);
        for (const TracedSpan& traced : trace.spans) {
            if (is_timed(traced.span)) {
                add_to_layers(traced);
                add_span(traced);
            }
        }
        end_layer();
    }

    Json take() { return std::move(events_); }

private:
    void add_tracks(const TraceResult& trace) {
        events_.push_back(metadata("process_name", 0, trace.device));
        events_.push_back(metadata("thread_name", layers_track, "layers"));
        std::set<std::uint32_t> streams;
        for (const TracedSpan& traced : trace.spans) {
            if (streams.insert(traced.span.stream).second) {
                events_.push_back(metadata("thread_name", static_cast<int>(traced.span.stream),
                                           fmt::format("stream {}", traced.span.stream)));
            }
        }
    }

    // Spans come by start: those of one pass in a row make one event.
    void add_to_layers(const TracedSpan& traced) {
        const std::string name = traced.pass ? task_name(traced) : std::string();
        if (name != layer_) {
            end_layer();
            layer_ = name;
            layer_start_ = traced.span.start;
        }
        layer_end_ = traced.span.end;
    }

    void end_layer() {
        if (!layer_.empty()) {
            add(layer_, "layer", layers_track, layer_start_, layer_end_);
        }
        layer_.clear();
    }

    void add_span(const TracedSpan& traced) {
        const Span& span = traced.span;
        const bool is_kernel = span.kind == SpanKind::kernel;
        add(is_kernel ? bare_kernel_name(span.name) : std::string(name_of(span.kind)),
            name_of(span.kind), static_cast<int>(span.stream), span.start, span.end);
        events_.back()["args"] = arguments_of(traced);
    }

    void add(const std::string& name, std::string_view category, int track, Nanoseconds start,
             Nanoseconds end) {
        const auto microseconds = [](Nanoseconds time) {
            return static_cast<double>(time.count()) * 1e-3;
        };
        events_.push_back({{"name", name},
                           {"cat", category},
                           {"ph", "X"},
                           {"ts", microseconds(start - *begin_)},
                           {"dur", microseconds(end - start)},
                           {"pid", 0},
                           {"tid", track}});
    }

    Json events_ = Json::array();
    std::optional<Nanoseconds> begin_;
    std::string layer_;
    Nanoseconds layer_start_ = {};
    Nanoseconds layer_end_ = {};
};

}  // namespace

std::string chrome_trace_json(const Run& run) {
    if (!run.trace) {
        throw Error(
            fmt::format("run {} holds no trace; record one with strata run --trace", run.id),
            ExitCode::usage);
    }
    const Json file = {{"displayTimeUnit", "ns"},
                       {"otherData", {{"run", run.id}, {"title", settings_line(run)}}},
                       {"traceEvents", Events(*run.trace).take()}};
    return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata

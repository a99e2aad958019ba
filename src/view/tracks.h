// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace strata {

// Runs as timelines, and in the two formats that viewers of timelines read.

using TrackDetail = std::variant<std::string, std::int64_t, double>;

struct TrackEvent {
    std::string name = {};
    std::string category = {};
    Nanoseconds start = {};
    std::optional<Nanoseconds> length = {};  // empty: it has a place but no time
    std::vector<std::pair<std::string, TrackDetail>> details = {};
};

// Events in order of their starts; no two overlap, because viewers nest or drop those that do.
struct Track {
    std::string name = {};
    std::vector<TrackEvent> events = {};
};

// A quantity that keeps each value until the next.
struct CounterTrack {
    std::string name = {};  // with its unit: "GFLOP/s"
    std::vector<std::pair<Nanoseconds, double>> values = {};
};

struct RunTracks {
    std::int64_t run = 0;
    std::string origin = {};  // "measured"
    std::string name = {};    // "run 3 (measured): alexnet, batch 32, training, ..."
    std::string source = {};  // machine_line
    std::string times = {};   // their origin, in a sentence
    std::vector<Track> tracks = {};
    std::vector<CounterTrack> counters = {};
};

// One iteration of a run, from 0 on.
//
// With a trace, the recorded iteration: the layers' passes, each from the first start to the last
// end of its spans in a row, and below them a track for each stream.
//
// Without one, the median of the whole iteration on one track, and on another the medians of the
// steps end to end in the order of execution, without the gaps between steps. A step that was
// skipped, failed, or is included in another has a place without a time; a no-op is left out.
// Counters: the rates of the steps, with operations by the convention that the run is stored in,
// and compulsory traffic.
//
// Throws Error, exit code usage, if no step has a time.
RunTracks tracks_of(const Run& run);

// Runs in the Trace Event Format of chrome://tracing, which Perfetto and other viewers read too: a
// process for each run, a thread for each track, microseconds with three decimals, an event a line.
// Throws as tracks_of.
std::string chrome_trace_json(std::span<const Run> runs);

// The same in Perfetto's own format, .pftrace: bytes of a perfetto.protos.Trace. Each run is a
// process with its tracks below it in order; the process's description states the origin of the
// times. Throws as tracks_of.
std::string perfetto_trace(std::span<const Run> runs);

}  // namespace strata

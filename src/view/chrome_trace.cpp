// SPDX-License-Identifier: MIT
#include "view/tracks.h"

#include "report/json.h"

#include <nlohmann/json.hpp>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// Divides instead of multiplying: only then does 1234 ns give the double nearest to 1.234.
double microseconds(Nanoseconds time) {
    return static_cast<double>(time.count()) / 1e3;
}

class ChromeWriter {
public:
    void add(const RunTracks& run) {
        ++process_;
        runs_.push_back({{"run", run.run},
                         {"origin", run.origin},
                         {"title", run.name},
                         {"source", run.source},
                         {"times", run.times}});
        name("process_name", 0, run.name);
        write({{"name", "process_sort_index"},
               {"ph", "M"},
               {"pid", process_},
               {"tid", 0},
               {"args", {{"sort_index", process_}}}});
        int thread = 0;
        for (const Track& track : run.tracks) {
            name("thread_name", ++thread, track.name);
            for (const TrackEvent& event : track.events) {
                write(event, thread);
            }
        }
        for (const CounterTrack& counter : run.counters) {
            write(counter);
        }
    }

    std::string take() const {
        return R"({"displayTimeUnit":"ns","otherData":)" + dump_json({{"runs", runs_}}) +
               ",\"traceEvents\":[\n" + events_ + "\n]}\n";
    }

private:
    void name(const char* what, int thread, const std::string& name) {
        write({{"name", what},
               {"ph", "M"},
               {"pid", process_},
               {"tid", thread},
               {"args", {{"name", name}}}});
    }

    void write(const TrackEvent& event, int thread) {
        Json json = {{"name", event.name},
                     {"cat", event.category},
                     {"ph", event.length ? "X" : "i"},
                     {"ts", microseconds(event.start)}};
        if (event.length) {
            json["dur"] = microseconds(*event.length);
        } else {
            json["s"] = "t";  // scope: its thread only
        }
        json["pid"] = process_;
        json["tid"] = thread;
        Json details = Json::object();
        for (const auto& [name, value] : event.details) {
            std::visit([&, &key = name](const auto& plain) { details[key] = plain; }, value);
        }
        json["args"] = std::move(details);
        write(json);
    }

    void write(const CounterTrack& counter) {
        for (const auto& [time, value] : counter.values) {
            write({{"name", counter.name},
                   {"ph", "C"},
                   {"ts", microseconds(time)},
                   {"pid", process_},
                   {"tid", 0},
                   {"args", {{counter.name, value}}}});
        }
    }

    void write(const Json& event) { events_ += (events_.empty() ? "" : ",\n") + dump_json(event); }

    int process_ = 0;
    Json runs_ = Json::array();
    std::string events_;
};

}  // namespace

std::string chrome_trace_json(std::span<const Run> runs) {
    ChromeWriter writer;
    for (const Run& run : runs) {
        writer.add(tracks_of(run));
    }
    return writer.take();
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "view/tracks.h"

#include "base/wire_message.h"

namespace strata {

namespace {

// Field numbers of package perfetto.protos, from protos/perfetto/trace/perfetto_trace.proto.
constexpr int trace_packet = 1;
constexpr int packet_timestamp = 8;
constexpr int packet_sequence = 10;
constexpr int packet_event = 11;
constexpr int packet_sequence_flags = 13;
constexpr int packet_descriptor = 60;
constexpr int descriptor_uuid = 1;
constexpr int descriptor_name = 2;
constexpr int descriptor_process = 3;
constexpr int descriptor_parent = 5;
constexpr int descriptor_counter = 8;
constexpr int descriptor_child_ordering = 11;
constexpr int descriptor_rank = 12;
constexpr int descriptor_description = 14;
constexpr int process_pid = 1;
constexpr int process_name = 6;
constexpr int event_annotation = 4;
constexpr int event_type = 9;
constexpr int event_track = 11;
constexpr int event_category = 22;
constexpr int event_name = 23;
constexpr int event_counter_value = 44;
constexpr int annotation_integer = 4;
constexpr int annotation_real = 5;
constexpr int annotation_text = 6;
constexpr int annotation_name = 10;

enum class EventType { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };

constexpr int explicit_order = 3;  // of TrackDescriptor.ChildTracksOrdering
constexpr int state_cleared = 1;   // of TracePacket.SequenceFlags

struct AnnotationWriter {
    WireMessage& message;

    void operator()(std::int64_t value) { message.integer(annotation_integer, value); }
    void operator()(double value) { message.number(annotation_real, value); }
    void operator()(const std::string& value) { message.text(annotation_text, value); }
};

class PerfettoWriter {
public:
    void add(const RunTracks& run) {
        ++process_;
        const std::int64_t parent = ++last_track_;
        describe(
            WireMessage()
                .integer(descriptor_uuid, parent)
                .message(descriptor_process,
                         WireMessage().integer(process_pid, process_).text(process_name, run.name))
                .integer(descriptor_child_ordering, explicit_order)
                .text(descriptor_description, run.times + ". " + run.source));
        int rank = 0;
        for (const Track& track : run.tracks) {
            describe(child(parent, ++rank, track.name));
            for (const TrackEvent& event : track.events) {
                write(event);
            }
        }
        for (const CounterTrack& counter : run.counters) {
            describe(
                child(parent, ++rank, counter.name).message(descriptor_counter, WireMessage()));
            for (const auto& [time, value] : counter.values) {
                write(time, of_type(EventType::counter).number(event_counter_value, value));
            }
        }
    }

    std::string take() { return std::move(bytes_); }

private:
    WireMessage child(std::int64_t parent, int rank, const std::string& name) {
        return WireMessage()
            .integer(descriptor_uuid, ++last_track_)
            .text(descriptor_name, name)
            .integer(descriptor_parent, parent)
            .integer(descriptor_rank, rank);
    }

    // An event of the track that was described last.
    WireMessage of_type(EventType type) const {
        return WireMessage()
            .integer(event_type, static_cast<int>(type))
            .integer(event_track, last_track_);
    }

    void write(const TrackEvent& one) {
        WireMessage begin = of_type(one.length ? EventType::slice_begin : EventType::instant);
        begin.text(event_category, one.category).text(event_name, one.name);
        for (const auto& [name, value] : one.details) {
            WireMessage detail = WireMessage().text(annotation_name, name);
            std::visit(AnnotationWriter{detail}, value);
            begin.message(event_annotation, detail);
        }
        write(one.start, begin);
        if (one.length) {
            write(one.start + *one.length, of_type(EventType::slice_end));
        }
    }

    void write(Nanoseconds time, const WireMessage& event) {
        write(WireMessage().integer(packet_timestamp, time.count()).message(packet_event, event));
    }

    void describe(const WireMessage& track) {
        write(WireMessage().message(packet_descriptor, track));
    }

    void write(WireMessage message) {
        message.integer(packet_sequence, 1);
        if (bytes_.empty()) {
            message.integer(packet_sequence_flags, state_cleared);
        }
        bytes_ += WireMessage().message(trace_packet, message).bytes();
    }

    int process_ = 0;
    std::int64_t last_track_ = 0;
    std::string bytes_;
};

}  // namespace

std::string perfetto_trace(std::span<const Run> runs) {
    PerfettoWriter writer;
    for (const Run& run : runs) {
        writer.add(tracks_of(run));
    }
    return writer.take();
}

}  // namespace strata

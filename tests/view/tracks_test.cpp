// SPDX-License-Identifier: MIT
#include "view/tracks.h"

#include "networks/onnx/file/wire.h"
#include "tests/support/error_message.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <map>
#include <set>

namespace strata {
namespace {

using Json = nlohmann::json;
using testing::scripted_step;

TracedSpan kernel(const char* layer, std::int64_t start, std::int64_t end) {
    return {.span = {.name = "void gemm<float>(\"\xff\")",
                     .stream = 7,
                     .start = Nanoseconds(start),
                     .end = Nanoseconds(end),
                     .launch = LaunchShape{.grid = {4, 2, 1}}},
            .layer = layer,
            .pass = Pass::forward,
            .evidence = Evidence::node};
}

// Two kernels of one layer, one of another, a copy without a layer, and a kernel without stamps.
strata::Run traced_run() {
    strata::Run run;
    run.id = 3;
    run.trace = TraceResult{.device = "NVIDIA H200",
                            .spans = {kernel("conv1", 1000, 2000), kernel("conv1", 2500, 3000),
                                      kernel("relu1", 3000, 3500)}};
    run.trace->spans.push_back({.span = {.kind = SpanKind::copy,
                                         .name = "device to host",
                                         .stream = 9,
                                         .start = Nanoseconds(4000),
                                         .end = Nanoseconds(4100),
                                         .bytes = Bytes{64}}});
    run.trace->spans.push_back(kernel("relu1", 0, 0));
    return run;
}

// A step of each status, a reorder, and names as a hostile file could have them.
strata::Run timed_run() {
    strata::Run run = testing::run_of({scripted_step("conv1", Pass::forward, {Seconds{2e-3}}),
                                       scripted_step("conv1", Pass::forward, {Seconds{1.5e-6}}),
                                       scripted_step("\"<b>\xff\n", Pass::forward, {}),
                                       scripted_step("relu1", Pass::forward, {}),
                                       scripted_step("view", Pass::forward, {}),
                                       scripted_step("conv1", Pass::update, {Seconds{1e-3}})});
    run.id = 12;
    run.created = "2026-11-21T13:15:00Z";
    run.settings.backend = "onednn";
    run.settings.network = "tiny";
    run.steps[0].flops = Flops{4e8};
    run.steps[0].read = run.steps[0].written = Bytes{1e6};
    run.steps[0].implementation = "jit:avx512_core";
    run.steps[1].kind = StepKind::reorder;
    run.steps[2].time = Skipped{"lrn: not in onednn"};
    run.steps[3].time = Included{"conv1 forward"};
    run.steps[4].time = NoOp{};
    return run;
}

// The same with all of its steps, so that the whole has a time.
strata::Run whole_run() {
    strata::Run run = timed_run();
    run.id = 13;
    run.steps.erase(run.steps.begin() + 2);
    run.whole.end_to_end = Samples{{Seconds{3.1e-3}}};
    return run;
}

std::vector<strata::Run> runs_of_each_kind() {
    return {timed_run(), whole_run(), traced_run()};
}

std::string error_of_run(const strata::Run& run) {
    return error_of([&] { chrome_trace_json({&run, 1}); });
}

// ---- what is on the tracks

std::vector<std::string> names_on(const Track& track) {
    std::vector<std::string> names;
    for (const TrackEvent& event : track.events) {
        names.push_back(event.name);
    }
    return names;
}

TEST(Tracks, StepsFollowEachOtherInTheOrderOfExecution) {
    const RunTracks tracks = tracks_of(timed_run());
    ASSERT_EQ(tracks.tracks.size(), 1u);  // the whole of an incomplete run has no time
    const auto& events = tracks.tracks[0].events;
    EXPECT_EQ(
        names_on(tracks.tracks[0]),
        (std::vector<std::string>{"conv1 forward", "conv1 forward (reorder)",
                                  "\"<b>\xef\xbf\xbd  forward", "relu1 forward", "conv1 update"}));
    EXPECT_EQ(events[1].start, Nanoseconds(2000000));
    EXPECT_EQ(events[4].start, Nanoseconds(2001500));
    EXPECT_EQ(events[4].length, Nanoseconds(1000000));
    EXPECT_NE(tracks.times.find("derived: the measured medians"), std::string::npos);
}

TEST(Tracks, AStepWithoutATimeHasAPlaceAndItsReason) {
    const auto skipped = tracks_of(timed_run()).tracks[0].events[2];
    EXPECT_FALSE(skipped.length);
    EXPECT_EQ(skipped.start, Nanoseconds(2001500));
    const auto reason =
        std::ranges::find(skipped.details, "reason", &std::pair<std::string, TrackDetail>::first);
    ASSERT_NE(reason, skipped.details.end());
    EXPECT_EQ(reason->second, TrackDetail("lrn: not in onednn"));
}

TEST(Tracks, APredictionSaysSoInItsNameAndInEachStep) {
    strata::Run run = timed_run();
    run.origin = Origin::modelled;
    const RunTracks tracks = tracks_of(run);
    EXPECT_EQ(tracks.origin, "modelled");
    EXPECT_NE(tracks.name.find("(modelled)"), std::string::npos);
    const auto detail = [](const TrackEvent& event, const char* name) {
        return std::ranges::find(event.details, name, &std::pair<std::string, TrackDetail>::first)
            ->second;
    };
    EXPECT_EQ(detail(tracks.tracks[0].events[0], "origin"), TrackDetail("modelled"));
    EXPECT_EQ(detail(tracks.tracks[0].events[0], "status"), TrackDetail("predicted"));
    EXPECT_NE(chrome_trace_json({&run, 1}).find(R"("origin":"modelled")"), std::string::npos);
}

TEST(Tracks, TheWholeIterationHasATrackOfItsOwn) {
    const RunTracks tracks = tracks_of(whole_run());
    ASSERT_EQ(tracks.tracks.size(), 2u);
    EXPECT_EQ(tracks.tracks[0].events[0].length, Nanoseconds(3100000));
}

TEST(Tracks, RatesAreThoseOfTheStepsAndEndAtZero) {
    const auto counters = tracks_of(timed_run()).counters;
    ASSERT_EQ(counters.size(), 2u);
    EXPECT_EQ(counters[0].name, "GFLOP/s");
    EXPECT_DOUBLE_EQ(counters[0].values.front().second, 200);
    EXPECT_DOUBLE_EQ(counters[1].values.front().second, 1);
    EXPECT_EQ(counters[0].values.back(), std::pair(Nanoseconds(3001500), 0.0));
}

TEST(Tracks, ATraceHoldsEverySpanThatHasATime) {
    const RunTracks tracks = tracks_of(traced_run());
    ASSERT_EQ(tracks.tracks.size(), 3u);
    EXPECT_EQ(tracks.tracks[1].name, "stream 7");
    ASSERT_EQ(tracks.tracks[1].events.size(), 3u);
    EXPECT_EQ(tracks.tracks[1].events[1].start, Nanoseconds(1500));
    EXPECT_EQ(tracks.tracks[1].events[1].length, Nanoseconds(500));
    EXPECT_EQ(tracks.tracks[2].name, "stream 9");
    EXPECT_NE(tracks.name.find("NVIDIA H200"), std::string::npos);
}

TEST(Tracks, ALayersPassSpansItsKernelsInARow) {
    const auto layers = tracks_of(traced_run()).tracks[0];
    EXPECT_EQ(names_on(layers), (std::vector<std::string>{"conv1 forward", "relu1 forward"}));
    EXPECT_EQ(layers.events[0].start, Nanoseconds(0));
    EXPECT_EQ(layers.events[0].length, Nanoseconds(2000));
}

TEST(Tracks, OverlappingEventsGoToAFurtherTrack) {
    strata::Run run = traced_run();
    run.trace->spans.insert(run.trace->spans.begin() + 1, kernel("relu0", 1500, 2600));
    const auto tracks = tracks_of(run).tracks;
    ASSERT_EQ(tracks.size(), 5u);
    EXPECT_EQ(names_on(tracks[1]), (std::vector<std::string>{"relu0 forward"}));
    EXPECT_EQ(tracks[1].name, "layers, 2");
    EXPECT_EQ(tracks[3].name, "stream 7, 2");
    EXPECT_EQ(tracks[3].events.size(), 1u);
}

TEST(Tracks, ARunWithoutATimeIsRefusedWithTheFix) {
    strata::Run run = timed_run();
    run.steps = {run.steps[2], run.steps[3]};
    EXPECT_NE(error_of_run(run).find("strata explain 12"), std::string::npos);
}

// ---- Chrome's format

TEST(ChromeTrace, TheWholeFile) {
    testing::expect_golden("view/tracks.json", chrome_trace_json(runs_of_each_kind()));
}

// The rules of the Trace Event Format for the phases that are used.
TEST(ChromeTrace, EventsOfAThreadFollowEachOtherAndEveryThreadHasAName) {
    std::map<std::pair<int, int>, double> ends;
    std::set<std::pair<int, int>> named;
    std::size_t threads = 0;
    const Json file = Json::parse(chrome_trace_json(runs_of_each_kind()));
    for (const Json& event : file.at("traceEvents")) {
        const std::pair thread(event.at("pid").get<int>(), event.at("tid").get<int>());
        const std::string phase = event.at("ph");
        if (phase == "M") {
            EXPECT_TRUE(event.at("args").size() == 1);
            named.insert(thread);
        } else if (phase == "C") {
            EXPECT_TRUE(event.at("args").begin()->is_number());
        } else {
            ASSERT_TRUE(phase == "X" || event.at("s") == "t") << event;
            EXPECT_TRUE(named.contains(thread)) << event;
            threads += ends.contains(thread) ? 0u : 1u;
            EXPECT_GE(event.at("ts").get<double>(), ends[thread]) << event;
            ends[thread] = event.at("ts").get<double>() + event.value("dur", 0.0);
        }
    }
    EXPECT_EQ(threads, 6u);
    EXPECT_EQ(file.at("otherData").at("runs").size(), 3u);
}

// ---- Perfetto's format, read back

using Fields = std::multimap<std::uint64_t, WireField>;

Fields fields_of(WireReader reader) {
    Fields fields;
    while (const auto field = reader.next()) {
        fields.emplace(field->number, *field);
    }
    return fields;
}

Fields message_at(const Fields& fields, std::uint64_t number) {
    return fields_of(as_message(fields.find(number)->second));
}

std::string text_at(const Fields& fields, std::uint64_t number) {
    const auto found = fields.find(number);
    return found == fields.end() ? "" : std::string(as_text(found->second));
}

std::uint64_t number_at(const Fields& fields, std::uint64_t number) {
    const auto found = fields.find(number);
    return found == fields.end() ? 0 : found->second.value;
}

std::string described(const Fields& track) {
    if (track.contains(3)) {
        const Fields process = message_at(track, 3);
        return fmt::format("track {}: process {} '{}': {}\n", number_at(track, 1),
                           number_at(process, 1), text_at(process, 6), text_at(track, 14));
    }
    return fmt::format("track {} of {}, rank {}: {}'{}'\n", number_at(track, 1),
                       number_at(track, 5), number_at(track, 12),
                       track.contains(8) ? "counter " : "", text_at(track, 2));
}

std::string annotations_of(const Fields& event) {
    std::string text;
    const auto [begin, end] = event.equal_range(4);
    for (auto one = begin; one != end; ++one) {
        const Fields detail = fields_of(as_message(one->second));
        text += fmt::format(
            " {}={}", text_at(detail, 10),
            detail.contains(4) ? std::to_string(number_at(detail, 4)) : text_at(detail, 6));
    }
    return text;
}

std::string happened(const Fields& packet) {
    const Fields event = message_at(packet, 11);
    const std::uint64_t type = number_at(event, 9);
    const std::string value =
        event.contains(44) ? fmt::format(" {}", std::bit_cast<double>(number_at(event, 44))) : "";
    constexpr std::array names = {"?", "begin", "end", "instant", "counter"};
    return fmt::format("{} track {} {}{}{}{}{}\n", number_at(packet, 8), number_at(event, 11),
                       names.at(type), event.contains(23) ? " " + text_at(event, 23) : "",
                       event.contains(22) ? " [" + text_at(event, 22) + "]" : "", value,
                       annotations_of(event));
}

std::vector<Fields> packets_of(const WireFile& file) {
    std::vector<Fields> packets;
    WireReader reader(file, file.bytes);
    while (const auto field = reader.next()) {
        EXPECT_EQ(field->number, 1u);
        packets.push_back(fields_of(as_message(*field)));
    }
    return packets;
}

TEST(PerfettoTrace, TheWholeFileReadBack) {
    const std::string bytes = perfetto_trace(runs_of_each_kind());
    const WireFile file{"runs.pftrace", std::as_bytes(std::span(bytes))};
    std::string text;
    for (const Fields& packet : packets_of(file)) {
        EXPECT_EQ(number_at(packet, 10), 1u);
        text += packet.contains(60) ? described(message_at(packet, 60)) : happened(packet);
    }
    testing::expect_golden("view/tracks.pftrace.txt", text);
}

TEST(PerfettoTrace, EverySliceBeginsAndEndsOnATrackThatWasDescribedBefore) {
    const std::string bytes = perfetto_trace(runs_of_each_kind());
    const WireFile file{"runs.pftrace", std::as_bytes(std::span(bytes))};
    std::map<std::uint64_t, std::uint64_t> open, last;
    std::size_t slices = 0;
    const auto packets = packets_of(file);
    EXPECT_EQ(number_at(packets.front(), 13), 1u);  // the first packet clears the state
    for (const Fields& packet : packets) {
        if (packet.contains(60)) {
            EXPECT_TRUE(open.emplace(number_at(message_at(packet, 60), 1), 0).second);
            continue;
        }
        const Fields event = message_at(packet, 11);
        const std::uint64_t track = number_at(event, 11), type = number_at(event, 9);
        ASSERT_TRUE(open.contains(track));
        EXPECT_GE(number_at(packet, 8), last[track]);
        last[track] = number_at(packet, 8);
        EXPECT_EQ(open[track], type == 2 ? 1u : 0u);
        open[track] = type == 1 ? 1u : 0u;
        slices += type == 1 ? 1u : 0u;
    }
    EXPECT_EQ(slices, 3u + 4u + 6u);
}

}  // namespace
}  // namespace strata

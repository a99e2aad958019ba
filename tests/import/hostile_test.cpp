// SPDX-License-Identifier: MIT Files that no tool should write: they give a sentence with file and
// place, or their readable part.
#include "import/formats.h"
#include "import/layers.h"
#include "import/run.h"

#include "measure/memory_use.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

class HostileFiles : public ::testing::Test {
protected:
    RecordedProfile read(std::string_view format, const std::string& text) const {
        const auto file = directory_.path() / "trace";
        std::ofstream(file, std::ios::binary) << text;
        ByteSource source(file);
        return format_for(file, format).read(source);
    }
    RecordedProfile read_events(const std::string& events) const {
        return read("pytorch", R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}");
    }
    std::string refusal(std::string_view format, const std::string& text) const {
        return error_of([&] { read(format, text); });
    }

    TemporaryDirectory directory_;
};

std::string cpu_op(const std::string& name, const std::string& start, const std::string& duration) {
    return fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 1, "tid": 1, "ts": {}, "dur": {}}})",
        name, start, duration);
}

bool tells(const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
}

TEST_F(HostileFiles, ImplausibleTimesAreLeftOutAndCounted) {
    const RecordedProfile recording =
        read_events(cpu_op("a", "1", "-5") + "," + cpu_op("b", "2", "1e300") + "," +
                    cpu_op("c", "\"NaN\"", "1") + "," + cpu_op("d", "18446744073709551615", "3") +
                    "," + cpu_op("e", "10", "3.25"));
    ASSERT_EQ(recording.operators.size(), 1u);
    EXPECT_EQ(recording.texts[recording.operators[0].name], "e");
    EXPECT_EQ(recording.operators[0].time, Nanoseconds(3250));
    EXPECT_EQ(recording.ledger.left_out(LeftOutReason::implausible_time), 4u);
    const auto sentences = recording.ledger.sentences();
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_TRUE(sentences[0].starts_with("4 records are left out")) << sentences[0];
}

TEST_F(HostileFiles, NamelessEventsCostNoMemoryAndAreCounted) {
    const auto file = directory_.path() / "trace.json";
    std::ofstream stream(file);
    stream << R"({"schemaVersion": 1, "traceEvents": [)";
    for (int i = 0; i < 1'000'000; ++i) {
        stream << R"({"ph":"X","cat":"cpu_op","ts":1,"dur":1},)";
    }
    stream << cpu_op("a", "1", "1") << "]}";
    stream.close();
    const bool is_reset = reset_peak_memory();
    const auto before = read_memory_use();
    ByteSource source(file);
    const RecordedProfile recording = format_for(file, "").read(source);
    const auto after = read_memory_use();
    EXPECT_EQ(recording.operators.size(), 1u);
    EXPECT_EQ(recording.ledger.left_out(LeftOutReason::nameless), 1'000'000u);
    if (is_reset && after.peak && before.resident) {
        EXPECT_LT(after.peak->value - before.resident->value, 16e6);  // for a file of 41 MB
    }
}

// A 32-bit clock in microseconds wraps after 71.6 minutes.
TEST_F(HostileFiles, AClockThatWrapsLeavesNoIterationLength) {
    std::string events;
    for (const char* start : {"4294967200", "4294967250", "10", "60"}) {
        events += (events.empty() ? "" : ",") + cpu_op("a", start, "20");
    }
    const ImportedRun imported = imported_run(read_events(events), {.iterations = 1}, nullptr);
    EXPECT_TRUE(imported.run.whole.instrumented.values.empty());
    ASSERT_FALSE(imported.run.flags.empty());
    EXPECT_TRUE(tells(imported.run.flags.back().sentence, "a clock had wrapped"));
    EXPECT_EQ(std::get<Samples>(imported.run.steps.at(0).time).values.size(), 1u);
}

// The file of a killed profiler may end anywhere.
TEST_F(HostileFiles, ATraceThatEndsAnywhereGivesItsCompleteEvents) {
    const std::string whole = R"({"schemaVersion": 1, "traceEvents": [)" +
                              cpu_op("first", "1", "1") + "," + cpu_op("second", "5", "2");
    for (std::size_t size = 40; size < whole.size(); ++size) {
        const RecordedProfile recording = read("pytorch", whole.substr(0, size));
        EXPECT_LE(recording.operators.size(), 1u) << size;
        EXPECT_EQ(recording.doubts.size(), 1u) << size;
    }
    EXPECT_EQ(read("pytorch", whole).operators.size(), 2u);
}

TEST_F(HostileFiles, DeepNestingIsRefusedWithItsPlace) {
    const std::string sentence =
        refusal("pytorch", "{\"traceEvents\":" + std::string(100'000, '['));
    EXPECT_TRUE(tells(sentence, "is nested deeper than 256 at byte 27")) << sentence;
}

TEST_F(HostileFiles, InvalidJsonIsRefusedWithItsPlace) {
    const std::string sentence = refusal("pytorch", R"({"traceEvents": [{"ph": NaN}]})");
    EXPECT_TRUE(tells(sentence, "is not JSON at byte 2")) << sentence;
    EXPECT_TRUE(
        tells(refusal("pytorch", "{\"traceEvents\": [{\"name\": \"\xff\"}]}"), "is not JSON"));
}

TEST_F(HostileFiles, ControlCharactersInANameAreBlanks) {
    const RecordedProfile recording = read_events(cpu_op("a\tb", "1", "1"));
    EXPECT_EQ(recording.texts[recording.operators.at(0).name], "a b");
}

TEST_F(HostileFiles, ALongNameIsCut) {
    const RecordedProfile recording = read_events(cpu_op(std::string(1'000'000, 'x'), "1", "1"));
    EXPECT_EQ(recording.texts[recording.operators.at(0).name].size(), 4096u);
}

TEST_F(HostileFiles, AFileWithoutOperatorsIsRefused) {
    const RecordedProfile recording = read_events("");
    EXPECT_TRUE(tells(error_of([&] { imported_run(recording, {}, nullptr); }),
                      "holds no operator or kernel"));
}

TEST_F(HostileFiles, AnUnknownFileIsRefusedWithTheFormats) {
    const auto file = directory_.path() / "letter.txt";
    std::ofstream(file) << "Dear strata\n";
    const std::string sentence = error_of([&] { format_for(file, ""); });
    EXPECT_TRUE(tells(sentence, "pytorch, onnxruntime, tensorflow, onednn")) << sentence;
}

TEST_F(HostileFiles, LinesOfALogWithTooFewFieldsAreCounted) {
    const RecordedProfile recording =
        read("onednn",
             "onednn_verbose,exec,cpu,convolution\n"
             "onednn_verbose\nother output\n"
             "onednn_verbose,exec,cpu,lrn,ref:any,forward_inference,a,,,2x3,0.5\n"
             "onednn_verbose,exec,cpu,lrn,ref:any,forward_inference,a,,,2x3,inf\n");
    ASSERT_EQ(recording.operators.size(), 1u);
    EXPECT_EQ(recording.operators[0].time, Nanoseconds(500'000));
    EXPECT_EQ(recording.ledger.left_out(LeftOutReason::broken_row), 1u);
    EXPECT_EQ(recording.ledger.left_out(LeftOutReason::implausible_time), 1u);
}

TEST_F(HostileFiles, AnExtraFieldIsADecimalCommaAndNotAShorterTime) {
    const RecordedProfile recording =
        read("onednn",
             "onednn_verbose,exec,cpu,lrn,ref:any,forward_inference,a,,,2x3,5,25\n"
             "onednn_verbose,exec,cpu,lrn,ref:any,forward_inference,a,,,2x3,0.5\n");
    ASSERT_EQ(recording.operators.size(), 1u);
    EXPECT_EQ(recording.operators[0].time, Nanoseconds(500'000));
    EXPECT_EQ(recording.ledger.left_out(LeftOutReason::broken_row), 1u);
}

// ---- Shared by all formats

TEST(LayerPaths, LoseExportersRepetitions) {
    EXPECT_EQ(normalised_path("/layer1/layer1.0/conv1"), "layer1.0.conv1");
    EXPECT_EQ(normalised_path("Net/Conv1"), "net.conv1");
    EXPECT_EQ(elements_in("4x3x2 7"), (std::vector<double>{24, 7}));
}

}  // namespace
}  // namespace strata

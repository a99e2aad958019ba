// SPDX-License-Identifier: MIT ParaDnn's lists of results: the file's entries, and a sentence for
// invalid ones.
#include "import/paradnn.h"

#include "tests/support/error_message.h"
#include "tests/support/shared_directory.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace strata {
namespace {

class Paradnn : public ::testing::Test {
protected:
    ParadnnResults read(const std::string& text) const {
        ByteSource source(directory_.write("results.json", text));
        return read_paradnn(source);
    }
    std::string refusal(const std::string& text) const {
        return error_of([&] { read(text); });
    }

    TemporaryDirectory directory_;
};

// One network of 12.34 M parameters on a core of eight, as in the released file.
constexpr const char* released =
    R"({"states": ["OOM"], "err_jobs": ["layer_32-node_8192-input_8000-output_1000-bs_16384"],
        "intensity": [385.3322528363047], "flops": [1028.96298], "params": [12340000.0],
        "example_per_sec": [110794.752], "step_per_sec": [108.198],
        "labels": ["layer_32-node_512-input_8000-output_200-bs_1024"], "fl": [9.51]})";

TEST_F(Paradnn, AnEntryIsANetworkWithItsRateAndOperationsOfAllCores) {
    const ParadnnResults results = read(released);
    EXPECT_EQ(results.platform, ParadnnPlatform::tpu);
    ASSERT_EQ(results.entries.size(), 2u);
    const ParadnnEntry& ran = results.entries[0];
    EXPECT_EQ(ran.network, "fc:layers=32,nodes=512,inputs=8000,outputs=200");
    EXPECT_EQ(ran.batch, 1024);
    EXPECT_DOUBLE_EQ(ran.steps_per_second, 108.198);
    ASSERT_TRUE(ran.flops.has_value());
    EXPECT_DOUBLE_EQ(ran.flops->value, 8 * 9.51e9);
    EXPECT_EQ(results.entries[1].failure, "OOM");
    EXPECT_EQ(results.entries[1].batch, 16384);
}

TEST_F(Paradnn, IntensityOverFourBytesPerParameterMeansAGpu) {
    const ParadnnResults results =
        read(R"({"labels": ["layer_4-node_32-input_2000-output_1000-bs_64"], "step_per_sec": [10],
                 "fl": [8], "params": [1e9], "intensity": [2]})");
    EXPECT_EQ(results.platform, ParadnnPlatform::gpu);
    EXPECT_DOUBLE_EQ(results.entries[0].flops->value, 8e9);
}

TEST_F(Paradnn, AnImportedRunIsOneStepWithTheNetworksNumbersAndItsOrigin) {
    const ParadnnResults results = read(released);
    const ParadnnFiling filing{"tpu_fc.json", "tpu-v2-8", "0123456789abcdef",
                               "2026-11-21T13:15:00Z"};
    const CountedStep counted{Flops{1e9}, Bytes{3e6}, Bytes{1e6}};
    const strata::Run ran = imported_run(results.entries[0], results.platform, filing, counted);
    EXPECT_EQ(ran.origin, Origin::imported);
    EXPECT_EQ(ran.settings.backend, "paradnn:tpu-v2-8");
    ASSERT_EQ(ran.steps.size(), 1u);
    EXPECT_DOUBLE_EQ(ran.steps[0].flops.value, 8 * 9.51e9);  // recorded, not counted
    EXPECT_EQ(ran.steps[0].read, Bytes{3e6});
    EXPECT_DOUBLE_EQ(ran.whole.end_to_end.values.at(0).value, 1 / 108.198);
    const strata::Run failed = imported_run(results.entries[1], results.platform, filing, counted);
    EXPECT_EQ(std::get<Failed>(failed.steps.at(0).time).reason, "OOM");
    EXPECT_TRUE(failed.whole.end_to_end.values.empty());
    EXPECT_DOUBLE_EQ(failed.steps[0].flops.value, 1e9);  // only counted
    EXPECT_EQ(observation_of(results.entries[1]).reason, "OOM");
    EXPECT_FALSE(observation_of(results.entries[1]).time.has_value());
}

TEST_F(Paradnn, InvalidListsOfResultsAreRefusedInASentence) {
    const std::string label = "\"layer_4-node_32-input_2000-output_1000-bs_64\"";
    const auto list = [&](const std::string& labels, const std::string& rates) {
        return R"({"labels": [)" + labels + R"(], "step_per_sec": [)" + rates + "]}";
    };
    const auto refuses = [&](const std::string& text, std::string_view part) {
        const std::string sentence = refusal(text);
        EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    };
    refuses("{}", "has 0 labels and 0 step_per_sec");
    refuses(list(label, "1, 2"), "has 1 labels and 2 step_per_sec");
    refuses(list(label, "0"), "entry 1 of step_per_sec is not a rate");
    refuses(list(label, "-3"), "entry 1 of step_per_sec is not a rate");
    refuses(list(label, "1e300"), "entry 1 of step_per_sec is not a rate");
    refuses(list(label, "null"), "has 1 labels and 0 step_per_sec");
    refuses(list("\"layer_4\"", "1"), "is not of the form");
    refuses(list("\"layer_4-node_-1-input_1-output_1-bs_1\"", "1"), "is not of the form");
    refuses(list("\"layer_99999999999999999999-node_1-input_1-output_1-bs_1\"", "1"),
            "is not of the form");
    refuses(list("\"\\u001b[31m\"", "1"), "is not of the form");
    refuses(R"({"labels": [)", "is not complete JSON");
    refuses(list(label, "1") + "x", "is not complete JSON");
    refuses(std::string(100, '['), "nested deeper than 16");
    refuses(R"({"labels": [")" + std::string(3 << 20, 'a'), "more than 1 MB");
    refuses(R"({"fl": [1], "step_per_sec": [1, 2], "labels": [)" + label + "," + label + "]}",
            "has 2 labels and 1 fl");
}

TEST_F(Paradnn, ItsFilesAreRecognisedByTheirFirstBytes) {
    EXPECT_TRUE(is_paradnn(released));
    EXPECT_TRUE(is_paradnn(R"( {"states": ["OOM", "OOM"], "err_jobs": ["layer_32)"));
    EXPECT_FALSE(is_paradnn(R"({"traceEvents": [)"));
    EXPECT_FALSE(is_paradnn("step_per_sec"));
    EXPECT_FALSE(is_paradnn(""));
}

TEST_F(Paradnn, TheReleasedResultsAreReadCompletely) {
    const auto folder = shared_directory() / "data/paradnn";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << folder << " is not here";
    }
    const auto count = [&](const char* name, ParadnnPlatform platform, std::size_t ran,
                           std::size_t failed) {
        ByteSource source(folder / name);
        const ParadnnResults results = read_paradnn(source);
        EXPECT_EQ(results.platform, platform) << name;
        EXPECT_EQ(results.entries.size(), ran + failed) << name;
        EXPECT_EQ(std::ranges::count_if(results.entries,
                                        [](const auto& entry) { return !entry.failure.empty(); }),
                  static_cast<std::ptrdiff_t>(failed))
            << name;
    };
    count("tpu_fc.json", ParadnnPlatform::tpu, 1724, 220);
    count("gpu_fc.json", ParadnnPlatform::gpu, 176, 94);
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "sweep/spec.h"

#include "base/error.h"
#include "record/options.h"
#include "sweep/grid.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace strata {
namespace {

SweepSpec spec_of(const std::string& text) {
    return parse_sweep(text, "test.toml");
}

std::string refusal_of(const std::string& text) {
    try {
        spec_of(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "none";
}

std::vector<std::int64_t> batches_of(const std::string& range) {
    return spec_of("batch = " + range + "\n[[network]]\nfamily = \"fc\"\n").batches;
}

using Values = std::vector<std::int64_t>;

TEST(SweepSpec, ReadsListsAndLinearAndGeometricRanges) {
    EXPECT_EQ(batches_of("7"), (Values{7}));
    EXPECT_EQ(batches_of("[8, 2, 8]"), (Values{2, 8}));
    EXPECT_EQ(batches_of("{ from = 2000, to = 8000, step = 2000 }"),
              (Values{2000, 4000, 6000, 8000}));
    EXPECT_EQ(batches_of("{ from = 1, to = 10, count = 4 }"), (Values{1, 4, 7, 10}));
    EXPECT_EQ(batches_of("{ from = 2, to = 1024, factor = 4 }"), (Values{2, 8, 32, 128, 512}));
    EXPECT_EQ(batches_of("{ from = 1, to = 8, factor = 1.5 }"), (Values{1, 2, 3, 5, 8}));
}

// Wang, Wei and Brooks 2020, Table 2.
TEST(SweepSpec, ShipsTheGridsOfParaDnnInFull) {
    const std::map<std::string, std::int64_t> published = {
        {"paradnn-fc", 9720}, {"paradnn-residual", 1080}, {"paradnn-bottleneck", 1080},
        {"paradnn-rnn", 720}, {"paradnn-lstm", 720},      {"paradnn-gru", 720}};
    for (const auto& [name, count] : published) {
        EXPECT_EQ(count_points(find_sweep(name)), count) << name;
    }
    const SweepSpec fc = find_sweep("paradnn-fc");
    EXPECT_EQ(point_of(fc, 0).network, "fc:layers=4,nodes=32,inputs=2000,outputs=200");
    EXPECT_EQ(point_of(fc, 9719).network, "fc:layers=128,nodes=8192,inputs=8000,outputs=1000");
    EXPECT_EQ(point_of(fc, 9719).batch, 16384);
}

TEST(SweepSpec, EveryShippedGridIsReadAndTheSmallOneHasHundredsOfPoints) {
    for (const EmbeddedFile& file : sweep_files()) {
        EXPECT_GT(count_points(parse_sweep(file.text, file.name)), 0) << file.name;
    }
    EXPECT_GE(count_points(find_sweep("cpu-small")), 300);
}

TEST(SweepSpec, CombinesDtypesModesAndThreadsAndGivesAllTheOptions) {
    const SweepSpec spec = spec_of(
        "dtype = [\"f32\", \"bf16\"]\nmode = \"inference\"\nthreads = [1, 2]\n"
        "options = { precision = \"5%\" }\n[[network]]\nfamily = \"fc\"\n");
    ASSERT_EQ(spec.settings.size(), 4U);
    EXPECT_EQ(text_of(spec.settings[3], "dtype"), "bf16");
    EXPECT_EQ(spec.settings[3].threads(), 2);
    EXPECT_DOUBLE_EQ(spec.settings[3].policy.precision, 0.05);
}

TEST(SweepSpec, RefusesAnInvalidGridInOneSentence) {
    const std::string fc = "\n[[network]]\nfamily = \"fc\"\n";
    const std::vector<std::string> bad = {
        "",
        "batch = ",
        "btach = 4" + fc,
        "batch = []" + fc,
        "batch = 0" + fc,
        "batch = 1.5" + fc,
        "batch = { from = 8, to = 4, step = 1 }" + fc,
        "batch = { from = 1, to = 4 }" + fc,
        "batch = { from = 1, to = 4, step = 1, factor = 2 }" + fc,
        "batch = { from = 1, to = 4, factor = 1.0 }" + fc,
        "batch = { from = 1, to = 4, factor = nan }" + fc,
        "batch = { from = 1, to = 1000000000000, step = 1 }" + fc,
        "batch = { from = 1, to = 9223372036854775807, count = 9223372036854775807 }" + fc,
        "dtype = \"f31\"" + fc,
        "max_memory = \"many\"" + fc,
        "max_time = -1" + fc,
        "options = { nonsense = 1 }" + fc,
        "options = { precision = [1, 2] }" + fc,
        "backend = \"onednn\"\ndevice = \"v100\"" + fc,
        "[[network]]\nfamily = \"fd\"\n",
        "[[network]]\nlayers = 4\n",
        fc + "layer = 4\n",
        fc + "layers = 99999999\n",
    };
    for (const std::string& text : bad) {
        const std::string sentence = refusal_of(text);
        EXPECT_TRUE(sentence.starts_with("test.toml")) << text << "\n" << sentence;
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    }
}

TEST(SweepSpec, WithoutAnAnchorItIsNeverMeasured) {
    const std::string network = "[[network]]\nfamily = \"fc\"\n";
    EXPECT_EQ(parse_sweep("anchor_every = 0\n" + network, "test.toml").anchor_every, 0);
    EXPECT_NE(refusal_of("anchor_every = -1\n" + network).find("a whole number of at least 0"),
              std::string::npos);
}

// 1000^4 points, from ranges that are each allowed.
TEST(SweepSpec, RefusesAGridWithTooManyPoints) {
    const std::string range = "= { from = 1, to = 1000, step = 1 }\n";
    const std::string sentence =
        refusal_of("[[network]]\nfamily = \"fc\"\nlayers " + range + "nodes " + range + "inputs " +
                   range + "outputs " + range);
    EXPECT_NE(sentence.find("more than 10000000 points"), std::string::npos) << sentence;
}

TEST(SweepSpec, IsAnotherSweepIfAnythingThatDeterminesItsPointsDiffers) {
    const std::string base = "[[network]]\nfamily = \"fc\"\n";
    std::set<std::string> identities;
    for (const char* head : {"", "batch = 2\n", "seed = 2\n", "dtype = \"bf16\"\n",
                             "options = { precision = \"5%\" }\n", "device = \"v100\"\n"}) {
        identities.insert(identity_of(spec_of(head + base)));
    }
    EXPECT_EQ(identities.size(), 6U);
    EXPECT_EQ(identity_of(spec_of("max_time = 5\n" + base)), identity_of(spec_of(base)));
}

}  // namespace
}  // namespace strata

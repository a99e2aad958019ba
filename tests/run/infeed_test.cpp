// SPDX-License-Identifier: MIT
#include "run/infeed.h"

#include "backend/reference/reference.h"
#include "image/jpeg.h"
#include "networks/network.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <atomic>

namespace strata {
namespace {

TensorId input_of(const std::string& network) {
    NetworkRequest request;
    request.network = network;
    return image_input(load_network(request));
}

TEST(ImageInputTest, NetworksOfImagesTakeThemAndOthersNameTheirInput) {
    EXPECT_EQ(error_of([] { input_of("alexnet"); }), "no error");
    for (const char* network : {"lstm-ptb", "transformer-base", "minigo", "fc:"}) {
        const std::string sentence = error_of([&] { input_of(network); });
        EXPECT_NE(sentence.find("is not one batch of images"), std::string::npos) << sentence;
        EXPECT_NE(sentence.find("omit --infeed"), std::string::npos) << sentence;
    }
}

class FedRunTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_jpeg()) {
            GTEST_SKIP() << "built without a JPEG library";
        }
        job_.backend = "reference";
        job_.request.network = directory_
                                   .write("tiny.graph",
                                          "graph tiny\n"
                                          "input x f32 2x3x8x8\n"
                                          "conv = convolution(x) out_channels=4 kernel=3x3\n"
                                          "output conv\n")
                                   .string();
        job_.policy = {.warmup = 1,
                       .min_time = Seconds{0},
                       .max_time = Seconds{0.2},
                       .min_samples = 3,
                       .precision = 10};
        job_.infeed = InfeedRequest{};
    }

    strata::Run run(const Observer& observer = {}) {
        return execute(planned(job_), *backend_, observer);
    }

    const TemporaryDirectory directory_;
    Job job_;
    std::unique_ptr<Backend> backend_ = make_reference_backend();
};

TEST_F(FedRunTest, ARunHasEveryTimeOfItsInput) {
    const strata::Run fed = run();
    ASSERT_TRUE(fed.infeed);
    EXPECT_EQ(fed.infeed->source, "synthetic");
    EXPECT_EQ(fed.infeed->images, 64);
    for (const InfeedSeries& series : infeed_series) {
        EXPECT_FALSE((fed.infeed->times.*series.samples).values.empty()) << series.name;
    }
    job_.infeed.reset();
    EXPECT_FALSE(run().infeed);
}

TEST_F(FedRunTest, AFolderWithABrokenFileIsRefusedBeforeAnythingIsMeasured) {
    directory_.write("broken.jpg", "no image");
    job_.infeed->folder = directory_.path();
    bool has_begun = false;
    const std::string sentence =
        error_of([&] { run({.begun = [&](strata::Run&) { has_begun = true; }}); });
    EXPECT_NE(sentence.find("broken.jpg"), std::string::npos) << sentence;
    EXPECT_FALSE(has_begun);
}

TEST_F(FedRunTest, AnInterruptDuringFeedingLeavesAPartialRunWithItsSteps) {
    std::atomic<bool> stop = false;
    const strata::Run fed =
        run({.progress = [&](const std::string& stage,
                             double) { stop = stop || stage == "feeding with images"; },
             .stop = &stop});
    EXPECT_EQ(fed.state, RunState::partial);
    EXPECT_FALSE(fed.infeed);
    EXPECT_FALSE(fed.whole.end_to_end.values.empty());
}

TEST_F(FedRunTest, AnotherFolderOrNumberOfThreadsIsAnotherExperiment) {
    const std::string plain = identity_of(job_);
    job_.infeed->threads = 2;
    EXPECT_NE(identity_of(job_), plain);
    job_.infeed = InfeedRequest{.folder = "photos"};
    EXPECT_NE(identity_of(job_), plain);
    job_.infeed.reset();
    EXPECT_NE(identity_of(job_), plain);
}

}  // namespace
}  // namespace strata

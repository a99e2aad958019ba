// SPDX-License-Identifier: MIT
#include "image/batch_maker.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr ImageShape shape{.channels = 3, .height = 12, .width = 10};
constexpr std::size_t batch = 5;

// The first `count` batches, one after another.
std::vector<std::vector<float>> batches(int threads, std::uint64_t seed, int count = 3) {
    const ImageCollection images = synthetic_images(seed);
    BatchMaker maker(images, shape, batch, threads, seed);
    std::vector<std::vector<float>> made;
    for (int i = 0; i < count; ++i) {
        maker.begin();
        maker.finish();
        made.emplace_back(maker.values().begin(), maker.values().end());
    }
    return made;
}

class BatchMakerTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_jpeg()) {
            GTEST_SKIP() << "built without a JPEG library";
        }
    }
};

TEST_F(BatchMakerTest, TheSeedDecidesEveryNumberWhateverTheThreads) {
    const auto made = batches(1, 7);
    EXPECT_EQ(made[0].size(), batch * shape.elements());
    EXPECT_EQ(made, batches(1, 7));
    EXPECT_EQ(made, batches(3, 7));
    EXPECT_NE(made, batches(1, 8));
    EXPECT_NE(made[0], made[1]);
}

TEST_F(BatchMakerTest, ABatchCanBeReadWhileTheNextOneIsMade) {
    const auto made = batches(1, 7);
    const ImageCollection images = synthetic_images(7);
    BatchMaker maker(images, shape, batch, 2, 7);
    maker.begin();
    for (const auto& expected : made) {
        const BatchTimes times = maker.finish();
        EXPECT_GE(times.decode, Seconds{0});
        EXPECT_GE(times.augment, Seconds{0});
        maker.begin();
        EXPECT_EQ(std::vector(maker.values().begin(), maker.values().end()), expected);
    }
}

TEST_F(BatchMakerTest, AnImageThatCannotBeDecodedIsAnErrorOfTheBatch) {
    ImageCollection images = synthetic_images(1);
    for (EncodedImage& image : images.images) {
        image.file.resize(300);
    }
    BatchMaker maker(images, shape, batch, 2, 1);
    maker.begin();
    const std::string sentence = error_of([&] { maker.finish(); });
    EXPECT_NE(sentence.find("cannot be read as a JPEG"), std::string::npos) << sentence;
    maker.begin();  // destroyed while it makes another
}

}  // namespace
}  // namespace strata

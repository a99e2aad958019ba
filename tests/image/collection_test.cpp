// SPDX-License-Identifier: MIT
#include "image/collection.h"

#include "image/jpeg.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

class CollectionTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_jpeg()) {
            GTEST_SKIP() << "built without a JPEG library";
        }
    }

    std::string refusal() const {
        return error_of([&] { read_images(folder_.path()); });
    }

    TemporaryDirectory folder_;
};

std::string text_of(const std::vector<std::byte>& file) {
    return {reinterpret_cast<const char*>(file.data()), file.size()};
}

std::string small_jpeg(std::uint8_t grey) {
    return text_of(encode_jpeg(
        {.width = 8, .height = 6, .channels = 1, .pixels = std::vector<std::uint8_t>(48, grey)},
        90));
}

TEST_F(CollectionTest, EqualSeedsGiveEqualBytesAndOtherSeedsOthers) {
    const ImageCollection one = synthetic_images(1), again = synthetic_images(1);
    ASSERT_EQ(one.images.size(), 64U);
    EXPECT_EQ(one.images[5].file, again.images[5].file);
    EXPECT_NE(one.images[5].file, one.images[6].file);
    EXPECT_NE(one.images[5].file, synthetic_images(2).images[5].file);
    EXPECT_EQ(one.pixels, 64.0 * 256 * 256);
    const double of_one = one.bytes().value / 64;
    EXPECT_GT(of_one, 10'000);  // like photographs of this size
    EXPECT_LT(of_one, 60'000);
}

TEST_F(CollectionTest, AFoldersJpegFilesAreReadInTheOrderOfTheirNames) {
    folder_.write("b.JPG", small_jpeg(10));
    folder_.write("a.jpeg", small_jpeg(200));
    folder_.write("notes.txt", "no image");
    const ImageCollection images = read_images(folder_.path());
    ASSERT_EQ(images.images.size(), 2U);
    EXPECT_TRUE(images.images[0].name.ends_with("a.jpeg"));
    EXPECT_EQ(images.pixels, 96);
    EXPECT_EQ(images.name, folder_.path().filename().string());
}

TEST_F(CollectionTest, ABrokenFileIsNamed) {
    folder_.write("good.jpg", small_jpeg(10));
    folder_.write("empty.jpg", "");
    EXPECT_NE(refusal().find("empty.jpg"), std::string::npos) << refusal();
    folder_.write("empty.jpg", small_jpeg(10).substr(0, 200));
    EXPECT_NE(refusal().find("empty.jpg cannot be read as a JPEG"), std::string::npos) << refusal();
}

TEST_F(CollectionTest, AnEmptyOrAbsentFolderIsRefusedWithTheFix) {
    EXPECT_NE(refusal().find("has no file that ends in .jpg"), std::string::npos) << refusal();
    const std::string absent = error_of([&] { read_images(folder_.path() / "nowhere"); });
    EXPECT_NE(absent.find("name a folder of .jpg files"), std::string::npos) << absent;
    const auto file = folder_.write("file", "x");
    EXPECT_NE(error_of([&] { read_images(file); }), "no error");
}

}  // namespace
}  // namespace strata

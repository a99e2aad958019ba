// SPDX-License-Identifier: MIT
#include "image/jpeg.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace strata {
namespace {

// A smooth image, which JPEG preserves almost exactly.
Bitmap gradient(std::int64_t width, std::int64_t height, std::int64_t channels = 3) {
    Bitmap image{.width = width, .height = height, .channels = channels};
    for (std::int64_t i = 0; i < width * height * channels; ++i) {
        const std::int64_t x = i / channels % width, y = i / channels / width;
        image.pixels.push_back(static_cast<std::uint8_t>((x + 2 * y + 20 * (i % channels)) % 256));
    }
    return image;
}

int largest_difference(const Bitmap& a, const Bitmap& b) {
    int largest = a.pixels.size() == b.pixels.size() ? 0 : 255;
    for (std::size_t i = 0; i < a.pixels.size() && largest < 255; ++i) {
        largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
    }
    return largest;
}

class JpegTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_jpeg()) {
            GTEST_SKIP() << "built without a JPEG library";
        }
        file_ = encode_jpeg(gradient(48, 40), 95);
    }

    // The error from a failing decode.
    static std::string refusal_of(std::span<const std::byte> file) {
        Bitmap image;
        return error_of([&] { decode_jpeg(file, "a.jpg", image); });
    }

    // The file with other extents in the header of its frame (marker FF C0).
    std::vector<std::byte> promising(int width, int height) const {
        std::vector<std::byte> file = file_;
        for (std::size_t i = 0; i + 8 < file.size(); ++i) {
            if (file[i] == std::byte{0xFF} && file[i + 1] == std::byte{0xC0}) {
                file[i + 5] = static_cast<std::byte>(height >> 8);
                file[i + 6] = static_cast<std::byte>(height);
                file[i + 7] = static_cast<std::byte>(width >> 8);
                file[i + 8] = static_cast<std::byte>(width);
            }
        }
        return file;
    }

    std::vector<std::byte> file_;
};

TEST_F(JpegTest, AnEncodedImageDecodesWithinTheErrorOfJpeg) {
    Bitmap image;
    decode_jpeg(file_, "a.jpg", image);
    EXPECT_EQ(image.width, 48);
    EXPECT_EQ(image.height, 40);
    EXPECT_LE(largest_difference(image, gradient(48, 40)), 12);
}

TEST_F(JpegTest, GreyBecomesThreeEqualChannelsAndColourItsLuminance) {
    Bitmap colour{.channels = 3};
    decode_jpeg(encode_jpeg(gradient(16, 16, 1), 95), "grey.jpg", colour);
    ASSERT_EQ(colour.pixels.size(), 16U * 16 * 3);
    for (std::size_t i = 0; i < colour.pixels.size(); i += 3) {
        EXPECT_EQ(colour.pixels[i], colour.pixels[i + 2]);
    }
    Bitmap grey{.channels = 1};
    decode_jpeg(file_, "colour.jpg", grey);
    EXPECT_EQ(grey.pixels.size(), 48U * 40);
}

// Written by Pillow 12: 8 x 8 pixels with inks of 0, 128, 255 and 64 of 255, which Adobe's marker
// says are stored inverted.
std::vector<std::byte> four_inks() {
    constexpr std::string_view digits =
        "ffd8ffee000e41646f626500640000000000ffdb0043000201010101010201010102020202020403"
        "020202020504040304060506060605060606070908060709070606080b08090a0a0a0a0a06080b0c"
        "0b0a0c090a0a0affc000140800080008044311004d11005911004b1100ffc4001700000301000000"
        "000000000000000000000308090affc40014100100000000000000000000000000000000ffda000e"
        "0443004d0059004b00003f00bf81b3fe7f1fffd9";
    std::vector<std::byte> file;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        file.push_back(
            static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
    }
    return file;
}

TEST_F(JpegTest, FourInksBecomeTheColourThatTheyPrint) {
    Bitmap colour{.channels = 3};
    decode_jpeg(four_inks(), "inks.jpg", colour);
    ASSERT_EQ(colour.pixels.size(), 8U * 8 * 3);
    EXPECT_EQ(colour.pixels[0], 191);  // (255 - 0) (255 - 64) / 255
    EXPECT_EQ(colour.pixels[1], 95);   // (255 - 128) (255 - 64) / 255
    EXPECT_EQ(colour.pixels[2], 0);
    Bitmap grey{.channels = 1};
    decode_jpeg(four_inks(), "inks.jpg", grey);
    ASSERT_EQ(grey.pixels.size(), 8U * 8);
    EXPECT_EQ(grey.pixels[0], 113);  // 0.299 * 191 + 0.587 * 95
}

TEST_F(JpegTest, TheHeaderGivesTheExtents) {
    const Bitmap extents = jpeg_extents(file_, "a.jpg");
    EXPECT_EQ(extents.width, 48);
    EXPECT_EQ(extents.height, 40);
    EXPECT_TRUE(extents.pixels.empty());
}

TEST_F(JpegTest, AFileTruncatedAnywhereIsRefusedByName) {
    for (std::size_t size = 0; size + 2 < file_.size(); size += 13) {
        const std::string sentence = refusal_of(std::span(file_).first(size));
        EXPECT_TRUE(sentence.starts_with("a.jpg cannot be read as a JPEG")) << size << sentence;
    }
}

TEST_F(JpegTest, AHeaderThatClaimsTooMuchIsRefusedBeforeAllocation) {
    EXPECT_NE(refusal_of(promising(65500, 65500)).find("a.jpg is 65500 x 65500 pixels"),
              std::string::npos);
    EXPECT_NE(refusal_of(promising(0, 40)), "no error");
    EXPECT_NE(refusal_of(promising(48, 4000)), "no error");  // the data end before
}

TEST_F(JpegTest, AnythingButAJpegIsRefused) {
    EXPECT_NE(refusal_of({}), "no error");
    const std::vector<std::byte> noise(1000, std::byte{0x41});
    EXPECT_NE(refusal_of(noise).find("repair the file or remove it"), std::string::npos);
}

TEST_F(JpegTest, DamageAnywhereIsAnErrorOrAnImageAndNeverACrash) {
    for (std::size_t i = 0; i < file_.size(); ++i) {
        std::vector<std::byte> file = file_;
        file[i] ^= std::byte{0x55};
        Bitmap image;
        error_of([&] { decode_jpeg(file, "a.jpg", image); });
    }
    SUCCEED();
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "image/collection.h"

#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "image/jpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

namespace strata {

namespace {

constexpr std::size_t max_images = 256;
constexpr std::size_t max_bytes = std::size_t{256} << 20;

constexpr std::size_t synthetic_count = 64;
constexpr std::int64_t synthetic_extent = 256;
constexpr int synthetic_quality = 90;
constexpr std::uint64_t synthetic_stream = 0x696d616765730001;

// A gradient from corner to corner of each channel plus noise of an eighth of the range.
Bitmap synthetic_image(const RandomStream& stream, std::uint64_t number) {
    Bitmap image{.width = synthetic_extent, .height = synthetic_extent};
    const auto count = static_cast<std::uint64_t>(3 * synthetic_extent * synthetic_extent);
    image.pixels.reserve(count);
    const std::uint64_t first = number * (count + 6);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t channel = i % 3;
        const auto x = static_cast<double>(i / 3 % synthetic_extent) / synthetic_extent;
        const auto y = static_cast<double>(i / 3 / synthetic_extent) / synthetic_extent;
        const double across = stream.uniform(first + channel);
        const double down = stream.uniform(first + 3 + channel);
        const double smooth = across * x + down * (1 - y);
        const double noise = static_cast<double>(stream.symmetric(first + 6 + i)) / 16;
        image.pixels.push_back(
            static_cast<std::uint8_t>(255 * std::clamp(smooth / 2 + 0.1 + noise, 0.0, 1.0)));
    }
    return image;
}

bool is_jpeg_name(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending == ".jpg" || ending == ".jpeg";
}

std::vector<std::filesystem::path> jpeg_files(const std::filesystem::path& folder) {
    const std::string name = printable(folder.string(), 1000);
    std::error_code error;
    std::vector<std::filesystem::path> files;
    std::filesystem::directory_iterator entry(folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (is_jpeg_name(entry->path())) {
            files.push_back(entry->path());
        }
    }
    if (error) {
        throw Error(fmt::format("cannot read the folder {}: {}; name a folder of .jpg files", name,
                                error.message()),
                    ExitCode::usage);
    }
    if (files.empty()) {
        throw Error(fmt::format("the folder {} has no file that ends in .jpg or .jpeg; name one "
                                "that has, or omit it for synthetic images",
                                name),
                    ExitCode::usage);
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

Bytes ImageCollection::bytes() const {
    Bytes sum;
    for (const EncodedImage& image : images) {
        sum += Bytes{static_cast<double>(image.file.size())};
    }
    return sum;
}

ImageCollection synthetic_images(std::uint64_t seed) {
    const RandomStream stream(seed, synthetic_stream);
    ImageCollection collection{.name = "synthetic", .images = {}};
    for (std::size_t i = 0; i < synthetic_count; ++i) {
        const Bitmap image = synthetic_image(stream, i);
        collection.images.push_back(
            {fmt::format("synthetic image {}", i), encode_jpeg(image, synthetic_quality)});
        collection.pixels += static_cast<double>(image.width * image.height);
    }
    return collection;
}

ImageCollection read_images(const std::filesystem::path& folder) {
    std::error_code ignored;
    const auto whole = std::filesystem::weakly_canonical(folder, ignored);
    ImageCollection collection{.name = whole.filename().string(), .images = {}};
    std::size_t bytes = 0;
    for (const auto& file : jpeg_files(folder)) {
        const auto mapped = MappedFile::open(file);
        const auto content = mapped->bytes();
        if (content.size() > max_bytes) {
            throw Error(fmt::format(
                "{} has {} MB, but at most {} are read: make the image smaller or remove it",
                printable(file.string(), 1000), content.size() >> 20, max_bytes >> 20));
        }
        if (collection.images.size() == max_images || bytes + content.size() > max_bytes) {
            break;
        }
        bytes += content.size();
        Bitmap image;
        decode_jpeg(content, file.string(), image);
        collection.pixels += static_cast<double>(image.width * image.height);
        collection.images.push_back({file.string(), {content.begin(), content.end()}});
    }
    return collection;
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "image/jpeg.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

// (After <cstdio>, whose names it uses.)
#include <jerror.h>
#include <jpeglib.h>

namespace strata {

namespace {

// A progressive file of a few kilobytes can contain endless scans; encoders write ten.
constexpr int max_scans = 100;

// libjpeg ends an operation by calling a function that must not return. It jumps back to
// `attempt`; no object with a destructor may live in libjpeg's callers in between.
struct JpegEscape {
    jpeg_error_mgr errors = {};
    std::jmp_buf place = {};
    std::array<char, JMSG_LENGTH_MAX> message = {};
};

[[noreturn]] void give_up(j_common_ptr info) {
    auto* escape = static_cast<JpegEscape*>(info->client_data);
    info->err->format_message(info, escape->message.data());
    std::longjmp(escape->place, 1);
}

// After a warning libjpeg continues with grey pixels. Some warnings occur in valid files: unknown
// markers of programs, and stray bytes between segments.
bool means_damage(int warning) {
    return warning != JWRN_ADOBE_XFORM && warning != JWRN_EXTRANEOUS_DATA &&
           warning != JWRN_JFIF_MAJOR;
}

void hear_message(j_common_ptr info, int level) {
    if (level < 0 && means_damage(info->err->msg_code)) {
        give_up(info);
    }
}

void count_scans(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > max_scans) {
        ERREXIT(info, JERR_BAD_PROGRESSION);
    }
}

// Sets the jump target and runs a part of libjpeg's work; false if it failed.
template <class Work>
bool attempt(JpegEscape& escape, Work&& work) {
    if (setjmp(escape.place) != 0) {
        return false;
    }
    work();
    return true;
}

void connect(JpegEscape& escape, jpeg_error_mgr*& errors) {
    errors = jpeg_std_error(&escape.errors);
    escape.errors.error_exit = give_up;
    escape.errors.emit_message = hear_message;
}

class JpegReader {
public:
    JpegReader(std::span<const std::byte> file, std::string_view name) : name_(name) {
        connect(escape_, info_.err);
        info_.client_data = &escape_;
        progress_.progress_monitor = count_scans;
        try {
            run([&] {
                jpeg_CreateDecompress(&info_, JPEG_LIB_VERSION, sizeof info_);
                info_.progress = &progress_;
                jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()),
                             static_cast<unsigned long>(file.size()));
                jpeg_read_header(&info_, TRUE);
            });
            require_extents();
        } catch (...) {
            jpeg_destroy_decompress(&info_);
            throw;
        }
    }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;
    ~JpegReader() { jpeg_destroy_decompress(&info_); }

    Bitmap extents() const {
        return {.width = info_.image_width,
                .height = info_.image_height,
                .channels = info_.num_components == 1 ? 1 : 3};
    }

    void decode(Bitmap& image) {
        image.width = info_.image_width;
        image.height = info_.image_height;
        const bool has_black =
            info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
        info_.out_color_space = has_black             ? JCS_CMYK
                                : image.channels == 1 ? JCS_GRAYSCALE
                                                      : JCS_RGB;
        run([&] { jpeg_start_decompress(&info_); });
        const auto channels = has_black ? 4 : image.channels;
        image.pixels.resize(static_cast<std::size_t>(image.width * image.height * channels));
        std::uint8_t* row = image.pixels.data();
        run([&] {
            while (info_.output_scanline < info_.output_height) {
                jpeg_read_scanlines(&info_, &row, 1);
                row += image.width * channels;
            }
            jpeg_finish_decompress(&info_);
        });
        if (has_black) {
            remove_black(image);
        }
    }

private:
    template <class Work>
    void run(Work&& work) {
        if (!attempt(escape_, work)) {
            throw Error(
                fmt::format("{} cannot be read as a JPEG ({}): repair the file or remove it",
                            printable(name_, 1000), printable(escape_.message.data())));
        }
    }

    void require_extents() const {
        const std::int64_t width = info_.image_width;
        const std::int64_t height = info_.image_height;
        if (width * height > max_pixels) {
            throw Error(
                fmt::format("{} is {} x {} pixels, but at most {} million are decoded: make the "
                            "image smaller or remove it",
                            printable(name_, 1000), width, height, max_pixels / 1'000'000));
        }
    }

    // Adobe's programs store the four inks inverted, and libjpeg leaves them so.
    void remove_black(Bitmap& image) const {
        const bool is_inverted = info_.saw_Adobe_marker != 0;
        const auto light = [&](std::uint8_t ink) { return is_inverted ? ink : 255 - ink; };
        const auto count = static_cast<std::size_t>(image.width * image.height);
        const auto channels = static_cast<std::size_t>(image.channels);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* inks = &image.pixels[4 * i];
            std::array<int, 3> colour = {};
            for (std::size_t c = 0; c < 3; ++c) {
                colour[c] = light(inks[c]) * light(inks[3]) / 255;
            }
            if (channels == 1) {  // luminance as JPEG defines it (ITU-R BT.601)
                colour[0] = (299 * colour[0] + 587 * colour[1] + 114 * colour[2] + 500) / 1000;
            }
            for (std::size_t c = 0; c < channels; ++c) {
                image.pixels[channels * i + c] = static_cast<std::uint8_t>(colour[c]);
            }
        }
        image.pixels.resize(count * channels);
    }

    std::string_view name_;
    JpegEscape escape_;
    jpeg_progress_mgr progress_ = {};
    jpeg_decompress_struct info_ = {};
};

// The output buffer that libjpeg allocates with malloc.
struct JpegOutput {
    unsigned char* start = nullptr;
    unsigned long size = 0;
    ~JpegOutput() { std::free(start); }
};

void write_rows(jpeg_compress_struct& info, const Bitmap& image, int quality) {
    info.image_width = static_cast<JDIMENSION>(image.width);
    info.image_height = static_cast<JDIMENSION>(image.height);
    info.input_components = static_cast<int>(image.channels);
    info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        const std::int64_t row = info.next_scanline;
        // (libjpeg's writer takes non-const pointers to data that it does not change.)
        auto* pixels = const_cast<std::uint8_t*>(
            &image.pixels[static_cast<std::size_t>(row * image.width * image.channels)]);
        jpeg_write_scanlines(&info, &pixels, 1);
    }
    jpeg_finish_compress(&info);
}

}  // namespace

bool has_jpeg() {
    return true;
}

Bitmap jpeg_extents(std::span<const std::byte> file, std::string_view name) {
    return JpegReader(file, name).extents();
}

void decode_jpeg(std::span<const std::byte> file, std::string_view name, Bitmap& image) {
    JpegReader(file, name).decode(image);
}

std::vector<std::byte> encode_jpeg(const Bitmap& image, int quality) {
    JpegOutput output;
    JpegEscape escape;
    jpeg_compress_struct info = {};
    connect(escape, info.err);
    info.client_data = &escape;
    const bool is_written = attempt(escape, [&] {
        jpeg_CreateCompress(&info, JPEG_LIB_VERSION, sizeof info);
        jpeg_mem_dest(&info, &output.start, &output.size);
        write_rows(info, image, quality);
    });
    jpeg_destroy_compress(&info);
    check(is_written, "an image fits the limits of JPEG");
    const auto* bytes = reinterpret_cast<const std::byte*>(output.start);
    return {bytes, bytes + output.size};
}

}  // namespace strata

// SPDX-License-Identifier: MIT
#include "base/npy.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>

namespace strata {
namespace {

// A version 1 file with this dictionary and these elements, as numpy.save lays it out.
std::string npy(const std::string& dictionary, std::string_view elements) {
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(dictionary.size());
    file += '\0';
    return file + dictionary + std::string(elements);
}

NpyArray parse(const std::string& file) {
    return parse_npy(std::as_bytes(std::span(file)), "x.npy");
}

template <class T>
std::string_view bytes_of(const T& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]};
}

TEST(Npy, AWrittenArrayReadsBackAndIsAlignedLikeNumpys) {
    const TemporaryDirectory folder;
    const std::vector<std::int64_t> dims = {2, 3};
    const std::vector<float> values = {1, 2, 3, -4, 5.5f, 6};
    write_npy(folder.path() / "x.npy", dims, values);
    EXPECT_EQ(read_npy(folder.path() / "x.npy"), (NpyArray{dims, values}));
    EXPECT_EQ(std::filesystem::file_size(folder.path() / "x.npy") % 64, values.size() * 4 % 64);
}

TEST(Npy, AScalarAndAnEmptyArrayReadBack) {
    const TemporaryDirectory folder;
    write_npy(folder.path() / "x.npy", {}, std::array{7.0f});
    EXPECT_EQ(read_npy(folder.path() / "x.npy"), (NpyArray{{}, {7}}));
    write_npy(folder.path() / "x.npy", std::vector<std::int64_t>{0, 3}, {});
    EXPECT_EQ(read_npy(folder.path() / "x.npy"), (NpyArray{{0, 3}, {}}));
}

TEST(Npy, EveryElementTypeBecomesFloat) {
    const auto header = [](std::string type, int count) {
        return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
               std::to_string(count) + ",), }";
    };
    const auto values_of = [&](std::string type, const auto& values) {
        return parse(npy(header(type, static_cast<int>(values.size())), bytes_of(values))).values;
    };
    EXPECT_EQ(values_of("<f8", std::array{1.5, -2.0}), (std::vector<float>{1.5f, -2}));
    EXPECT_EQ(values_of("<i8", std::array<std::int64_t, 2>{3, -4}), (std::vector<float>{3, -4}));
    EXPECT_EQ(values_of("<i4", std::array<std::int32_t, 1>{-5}), (std::vector<float>{-5}));
    EXPECT_EQ(values_of("|u1", std::array<std::uint8_t, 1>{200}), (std::vector<float>{200}));
    EXPECT_EQ(values_of("|b1", std::array<std::uint8_t, 2>{0, 1}), (std::vector<float>{0, 1}));
    // One, the smallest subnormal, and minus infinity as binary16.
    EXPECT_EQ(values_of("<f2", std::array<std::uint16_t, 3>{0x3C00, 1, 0xFC00}),
              (std::vector<float>{1, 0x1p-24f, -std::numeric_limits<float>::infinity()}));
}

TEST(Npy, AnUnreadableFileNamesTheFix) {
    const auto message = [](const std::string& file) { return error_of([&] { parse(file); }); };
    EXPECT_EQ(message("PNG"), "'x.npy' is not a NumPy file; write it with numpy.save");
    EXPECT_EQ(message(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234")),
              "'x.npy' has elements of type '>f4'; save it with array.astype('<f4')");
    EXPECT_EQ(message(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "1234")),
              "'x.npy' is in Fortran order; save it with numpy.ascontiguousarray");
    EXPECT_EQ(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234")),
              "'x.npy' holds 4 bytes of elements, which its shape does not; copy it again");
}

TEST(Npy, HostileHeadersAreErrors) {
    const auto fails = [](const std::string& file) {
        return error_of([&] { parse(file); }) != "no error";
    };
    const std::string good =
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "1234");
    EXPECT_FALSE(fails(good));
    for (std::size_t length = 0; length < good.size(); ++length) {
        EXPECT_TRUE(fails(good.substr(0, length))) << length;
    }
    for (const char* shape : {"(-1,)", "(9223372036854775807,4)", "(1x,)", "None", "(1"}) {
        EXPECT_TRUE(fails(
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(shape) + ", }",
                "1234")))
            << shape;
    }
}

TEST(Npy, AFileThatCannotBeWrittenIsNamed) {
    EXPECT_NE(error_of([] {
                  write_npy("/nonexistent/x.npy", {}, std::array{1.0f});
              }).find("cannot write '/nonexistent/x.npy'"),
              std::string::npos);
}

// Limits the size of this process's files, like a full disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t longest) {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{longest, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

TEST(Npy, AFullDiskLeavesTheOldFileAndNoOther) {
    const TemporaryDirectory folder;
    const auto path = folder.path() / "x.npy";
    write_npy(path, std::array<std::int64_t, 1>{1}, std::array{1.0f});
    std::string message;
    {
        const FullDisk disk(200);
        const std::array<float, 100> many{};
        message =
            error_of([&] { write_npy(path, std::array<std::int64_t, 1>{many.size()}, many); });
    }
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_EQ(read_npy(path), (NpyArray{.dims = {1}, .values = {1.0f}}));
    const std::filesystem::directory_iterator files(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace strata

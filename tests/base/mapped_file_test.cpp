// SPDX-License-Identifier: MIT
#include "base/mapped_file.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <cstring>

namespace strata {
namespace {

TEST(MappedFile, ShowsTheBytesOfAFileAfterItIsDeleted) {
    const TemporaryDirectory folder;
    const auto path = folder.write("weights", "0123456789");
    const auto file = MappedFile::open(path);
    std::filesystem::remove(path);
    ASSERT_EQ(file->bytes().size(), 10u);
    EXPECT_EQ(std::memcmp(file->bytes().data(), "0123456789", 10), 0);
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
    const TemporaryDirectory folder;
    EXPECT_TRUE(MappedFile::open(folder.write("empty", ""))->bytes().empty());
}

TEST(MappedFile, AnUnreadableFileIsNamedWithTheReason) {
    const TemporaryDirectory folder;
    const auto missing = folder.path() / "missing";
    EXPECT_EQ(error_of([&] { MappedFile::open(missing); }),
              "cannot read '" + missing.string() + "': No such file or directory");
    EXPECT_NE(error_of([&] { MappedFile::open(folder.path()); }).find("it is a directory"),
              std::string::npos);
    EXPECT_NE(error_of([&] { MappedFile::open("/dev/null"); }).find("not a regular file"),
              std::string::npos);
}

}  // namespace
}  // namespace strata

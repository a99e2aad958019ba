// SPDX-License-Identifier: MIT
#include "base/file.h"

#include "base/new_file.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace strata {
namespace {

TEST(SmallFile, AWrittenFileReadsBackAndLeavesNoOtherFile) {
    const TemporaryDirectory folder;
    const auto path = folder.path() / "new" / "file";
    replace_file(path, "one");
    replace_file(path, "two");
    EXPECT_EQ(read_small_file(path), "two");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(NewFile, ADiscardedNewFileLeavesTheOldOneUnchanged) {
    const TemporaryDirectory folder;
    const auto path = folder.write("report", "old");
    {
        NewFile file(path);
        EXPECT_TRUE(file.write("new"));
    }
    EXPECT_EQ(read_small_file(path), "old");
    NewFile file(path);
    EXPECT_TRUE(file.write("new") && file.write("er") && file.keep());
    EXPECT_EQ(read_small_file(path), "newer");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(NewFile, ALinkIsFollowedAndADeviceIsWrittenDirectly) {
    const TemporaryDirectory folder;
    const auto path = folder.write("report", "old");
    std::filesystem::create_symlink(path, folder.path() / "link");
    NewFile linked(folder.path() / "link");
    EXPECT_TRUE(linked.write("new") && linked.keep());
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
    EXPECT_EQ(read_small_file(path), "new");
    NewFile full("/dev/full");
    EXPECT_FALSE(full.write("text") && full.keep());
    EXPECT_TRUE(std::filesystem::exists("/dev/full"));
    EXPECT_FALSE(NewFile(folder.path() / "no folder" / "report").keep());
}

TEST(SmallFile, AMissingTooLongOrFolderPathGivesNothing) {
    const TemporaryDirectory folder;
    EXPECT_EQ(read_small_file(folder.path() / "missing"), std::nullopt);
    EXPECT_EQ(read_small_file(folder.path()), std::nullopt);
    replace_file(folder.path() / "file", std::string(100, 'x'));
    EXPECT_EQ(read_small_file(folder.path() / "file", 99), std::nullopt);
    EXPECT_EQ(read_small_file(folder.path() / "file", 100)->size(), 100u);
}

TEST(SmallFile, AFileThatCannotBeWrittenIsNamed) {
    const TemporaryDirectory folder;
    replace_file(folder.path() / "file", "text");
    const auto message = error_of([&] { replace_file(folder.path() / "file" / "below", "text"); });
    EXPECT_NE(message.find("below: cannot be written (Not a directory)"), std::string::npos)
        << message;
}

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

// SPDX-License-Identifier: MIT
#include "base/small_file.h"

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(SmallFile, WhatIsWrittenIsReadAndNothingIsLeftBeside) {
    const TemporaryDirectory folder;
    const auto path = folder.path() / "new" / "file";
    replace_file(path, "one");
    replace_file(path, "two");
    EXPECT_EQ(read_small_file(path), "two");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(SmallFile, WhatIsMissingTooLongOrAFolderIsNothing) {
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

}  // namespace
}  // namespace strata

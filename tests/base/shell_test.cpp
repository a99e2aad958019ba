// SPDX-License-Identifier: MIT
#include "base/shell.h"

#include "base/program.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ShellWord, IsQuotedOnlyIfItMustBe) {
    EXPECT_EQ(shell_word("fc:layers=1,nodes=8"), "fc:layers=1,nodes=8");
    EXPECT_EQ(shell_word("conv*"), "'conv*'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, IsWhatAShellReadsBack) {
    for (const std::string word :
         {"", "a b", "$HOME", "`x`", "\\", "\"'\"", "~", "a;b&c", "*?[", "!#"}) {
        std::string heard;
        run_program({.file = "/bin/sh",
                     .arguments = {"-c", "printf '%s\\n' " + shell_word(word) + " >&2"},
                     .hear = [&](const std::string& line) { heard = line; }});
        EXPECT_EQ(heard, word);
    }
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "base/program.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <csignal>

namespace strata {
namespace {

struct Heard {
    ProgramEnd end;
    std::vector<std::string> lines;
};

Heard shell(const std::string& script, std::function<bool()> is_stopped = {}) {
    Heard heard;
    heard.end = run_program({.file = "/bin/sh",
                             .arguments = {"-c", script},
                             .hear = [&](const std::string& line) { heard.lines.push_back(line); },
                             .is_stopped = std::move(is_stopped)});
    return heard;
}

TEST(Program, ReceivesItsErrorOutputLineByLine) {
    const Heard heard = shell("echo out; echo one >&2; printf 'two\\n\\nthree' >&2; exit 3");
    EXPECT_EQ(heard.lines, (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_EQ(heard.end.exit_code, 3);
    EXPECT_EQ(heard.end.signal, 0);
}

TEST(Program, IsFoundInThePath) {
    EXPECT_EQ(find_in_path("sh").value_or("").filename(), "sh");
    EXPECT_EQ(find_in_path("no-such-program"), std::nullopt);
    EXPECT_EQ(find_in_path("."), std::nullopt);  // a folder
}

TEST(Program, ReportsWhichSignalKilledIt) {
    const Heard heard = shell("kill -SEGV $$");
    EXPECT_EQ(heard.end.signal, SIGSEGV);
    EXPECT_TRUE(heard.lines.empty());
}

TEST(Program, GetsAnEmptyInput) {
    EXPECT_EQ(shell("read -r line || exit 7").end.exit_code, 7);
}

TEST(Program, GetsOneInterrupt) {
    int questions = 0;
    const Heard heard =
        shell("trap 'echo interrupted >&2; exit 5' INT; while :; do sleep 0.01; done",
              [&] { return ++questions > 2; });
    EXPECT_EQ(heard.end.exit_code, 5);
    EXPECT_EQ(heard.lines, std::vector<std::string>{"interrupted"});
}

TEST(Program, IsKilledEvenIfItIgnoresInterrupts) {
    const ProgramEnd end = run_program({.file = "/bin/sh",
                                        .arguments = {"-c", "trap '' INT TERM; exec sleep 60"},
                                        .is_killed = [] { return true; }});
    EXPECT_EQ(end.signal, SIGKILL);
}

TEST(Program, CutsEndlessLines) {
    const Heard heard = shell("head -c 100000 /dev/zero | tr '\\0' x >&2");
    ASSERT_EQ(heard.lines.size(), 1U);
    EXPECT_EQ(heard.lines.front().size(), 4096U);
}

TEST(Program, IsRefusedIfItDoesNotExist) {
    EXPECT_THROW((void)run_program({.file = "/no/such/program"}), Error);
}

}  // namespace
}  // namespace strata

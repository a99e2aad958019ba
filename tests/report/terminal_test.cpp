// SPDX-License-Identifier: MIT
#include "report/terminal.h"

#include "base/text.h"
#include "report/format.h"
#include "report/unicode.h"
#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace strata {
namespace {

using testing::sample_document;

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    for (const auto line : split(text, '\n')) {
        widest = std::max(widest, display_width(line));
    }
    return widest;
}

TEST(Terminal, RendersEveryBlockForAPipe) {
    testing::expect_golden("report/sample.txt", render_terminal(sample_document(), {}));
}

TEST(Terminal, RendersEveryBlockWithLinesAndSigns) {
    testing::expect_golden("report/sample-unicode-80.txt",
                           render_terminal(sample_document(), {.width = 80, .unicode = true}));
}

TEST(Terminal, KeepsToTheWidthAndSaysWhatItLeftOut) {
    const std::string text = render_terminal(sample_document(), {.width = 50, .unicode = true});
    EXPECT_LE(widest_line(text), 50u);
    EXPECT_NE(text.find("implementation)"), std::string::npos);
}

TEST(Terminal, WithoutColourThereIsNoEscapeSequence) {
    EXPECT_EQ(render_terminal(sample_document(), {.width = 80, .unicode = true}).find('\x1b'),
              std::string::npos);
}

TEST(Terminal, ColourChangesNothingButEscapeSequences) {
    std::string coloured =
        render_terminal(sample_document(), {.width = 80, .colour = true, .unicode = true});
    EXPECT_NE(coloured.find('\x1b'), std::string::npos);
    for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
        coloured.erase(at, coloured.find('m', at) - at + 1);
    }
    EXPECT_EQ(coloured, render_terminal(sample_document(), {.width = 80, .unicode = true}));
}

TEST(Terminal, APipeGetsAsciiOnly) {
    const std::string text = render_terminal(sample_document(), {});
    EXPECT_TRUE(
        std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 32 && c < 127); }));
}

TEST(Terminal, DecimalPointsAreAligned) {
    const Table table{.columns = {{"t", "t"}},
                      .rows = {{Number{.value = 12.3, .unit = "x"}},
                               {Number{.value = 0.123, .unit = "x"}},
                               {Number{.value = 123, .unit = "x"}}}};
    EXPECT_EQ(render_terminal({.blocks = {table}}, {}), "  t [x]\n-------\n 12.3\n  0.123\n123\n");
}

TEST(Terminal, ATextAtTheEndOfALineContinuesBelowItself) {
    const Table table{.columns = {{"name", "name"}, {"why", "why"}},
                      .rows = {{"conv1", "the source rounds its numbers here"}, {"fc8", "equal"}}};
    EXPECT_EQ(render_terminal({.blocks = {table}}, {.width = 28}),
              "name   why\n"
              "-----  ---------------------\n"
              "conv1  the source rounds its\n"
              "       numbers here\n"
              "fc8    equal\n");
}

TEST(Terminal, CountsAndTheirRatesHaveSeparators) {
    EXPECT_EQ(number_text({.value = 50582682.03}), "50,582,682");
    EXPECT_EQ(number_text({.value = 179695.2, .unit = "1/s"}), "179,695 1/s");
    EXPECT_EQ(number_text({.value = 1.5}), "1.50");
}

TEST(Terminal, TinyNumbersWithoutUnitHaveAnExponent) {
    EXPECT_EQ(number_text({.value = 2.44e-7}), "2.4e-7");
    EXPECT_EQ(number_text({.value = -3e-12}), "-3.0e-12");
    EXPECT_EQ(number_text({.value = 1e-7, .unit = "s"}), "100 ns");
}

TEST(Terminal, ABarWithoutValuesIsNotZero) {
    const StackedBars bars{.title = "t",
                           .unit = "s",
                           .labels = {"known", "none"},
                           .series = {{"f", {1.0, std::nullopt}}}};
    EXPECT_EQ(render_terminal({.blocks = {bars}}, {.width = 30, .unicode = true}),
              "t [ms]  █ f\n"
              "known  1000  █████████████████\n"
              "none      –\n");
}

TEST(Terminal, ALongLegendContinuesBelowItsTitle) {
    const StackedBars bars{.title = "a title of some length",
                           .unit = "s",
                           .labels = {"a"},
                           .series = {{"first", {1.0}}, {"second", {1.0}}}};
    const std::string text = render_terminal({.blocks = {bars}}, {.width = 40});
    EXPECT_EQ(text.substr(0, text.find("\na")), "a title of some length [ms]  # first\n  = second");
}

TEST(Terminal, ThirtySeriesOfABarHaveThirtySignsOfOneColumn) {
    StackedBars bars{.title = "t", .unit = "", .labels = {"a"}};
    for (std::size_t i = 0; i < 30; ++i) {
        bars.series.push_back({"", {1.0}});
    }
    for (const bool unicode : {false, true}) {
        const std::string text = render_terminal({.blocks = {bars}}, {.unicode = unicode});
        const std::string bar = text.substr(text.rfind("  ") + 2);
        EXPECT_EQ(display_width(bar.substr(0, bar.size() - 1)), 60U);
        std::set<std::string> signs;
        for (std::size_t begin = 0, end = 1; begin + 1 < bar.size(); begin = end++) {
            while ((static_cast<unsigned char>(bar[end]) & 0xC0U) == 0x80U) {
                ++end;
            }
            signs.insert(bar.substr(begin, end - begin));
        }
        EXPECT_EQ(signs.size(), 30U) << text;
    }
}

TEST(Terminal, AnAllZeroChartDrawsNoBars) {
    const StackedBars bars{.title = "none", .unit = "s", .labels = {"a"}, .series = {{"f", {0.0}}}};
    EXPECT_EQ(render_terminal({.blocks = {bars}}, {}), "none [s]  # f\na  0\n");
}

TEST(Terminal, AForeignTextDoesNotWidenItsColumnWithoutLimitEvenInAPipe) {
    Table table{.columns = {{"kernel", "kernel"}, {"time_s", "time"}}};
    table.rows = {{std::string(1600, 'k'), Number{.value = 1, .unit = "s"}}};
    const std::string text = render_terminal({.blocks = {table}}, {});
    for (const std::string_view line : split(text, '\n')) {
        EXPECT_LE(line.size(), 140u);
    }
    EXPECT_NE(text.find("(too long to show whole: kernel)"), std::string::npos);
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "published/read.h"

#include "published/files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// A file with one number, which `row` describes.
std::string file_with(const std::string& row) {
    return "title = \"t\"\nsource = \"s\"\nevery = { network = \"alexnet\", tolerance = 5 }\n"
           "numbers = [{ name = \"n\", published = 3, " +
           row + " }]\n";
}

std::string mistake(const std::string& row) {
    return error_of([&] { parse_reproduction(file_with(row), "facts.toml"); });
}

TEST(ReadReproduction, TakesWhatEveryNumberHasWhereANumberSaysNothing) {
    const Reproduction facts = parse_reproduction(
        file_with("layers = \"fc*\", over = { layers = \"*\" }"), "a/facts.toml");
    EXPECT_EQ(facts.name, "facts");
    const PublishedNumber& number = facts.numbers.at(0);
    EXPECT_EQ(number.tolerance, 5);
    EXPECT_EQ(number.counted.network, "alexnet");
    EXPECT_EQ(number.counted.layers, "fc*");
    EXPECT_EQ(number.over.value().network, "alexnet");
    EXPECT_EQ(number.over->layers, "*");
    EXPECT_FALSE(number.minus);
}

TEST(ReadReproduction, NamesThePlaceOfAMistake) {
    EXPECT_EQ(mistake("layer = \"fc*\""),
              "facts.toml: number 1: layer: unknown key; remove or correct it");
    EXPECT_EQ(mistake("batch = 0"),
              "facts.toml: number 1: batch: give it as a whole number from 1");
    EXPECT_EQ(mistake("exact = \"many\""), "facts.toml: number 1: exact: give it as a number");
    EXPECT_EQ(mistake("over = { published = 1 }"),
              "facts.toml: number 1: over: published: unknown key; remove or correct it");
    EXPECT_EQ(mistake("over = 3"), "facts.toml: number 1: over: give it as a table, { ... }");
    EXPECT_EQ(mistake("exact = nan"), "facts.toml: number 1: exact: give it as a number");
    EXPECT_EQ(error_of([] { parse_reproduction("title = ", "facts.toml"); }).substr(0, 27),
              "facts.toml:1:9: no valid TO");
    EXPECT_EQ(error_of([] { parse_reproduction("title = \"t\"", "facts.toml"); }),
              "facts.toml: source: missing; give it");
    EXPECT_EQ(error_of([] {
                  parse_reproduction("title = \"t\"\nsource = \"s\"\nnumbers = [3]", "facts.toml");
              }),
              "facts.toml: numbers: give it as a list of tables, [{ ... }, ...]");
}

TEST(ReadReproduction, AGridIsCountedByItsCombinations) {
    const Reproduction facts =
        parse_reproduction(file_with("grid = [\"4..128\", \"100..900+400\", \"2,8\"]"), "f.toml");
    EXPECT_EQ(facts.numbers.at(0).grid.at(1), (std::vector<std::int64_t>{100, 500, 900}));
    EXPECT_EQ(reproduce(facts).comparisons.at(0).ours, 6 * 3 * 2);
    EXPECT_EQ(mistake("grid = [\"4..\"]").substr(0, 28), "facts.toml: number 1: grid: ");
    EXPECT_EQ(mistake("grid = 3").substr(0, 28), "facts.toml: number 1: grid: ");
}

TEST(FindReproduction, TakesAFileOfTheReadersOwn) {
    const TemporaryDirectory folder;

    const auto path =
        folder.write("mine.toml", file_with("count = \"parameters\", differs = \"it is a joke\""));
    const Reproduced reproduced = reproduce(find_reproduction(path.string()));
    EXPECT_EQ(reproduced.comparisons.at(0).ours, 60'965'224);
    EXPECT_EQ(reproduced.comparisons.at(0).verdict, Verdict::differs);
    EXPECT_TRUE(agrees(reproduced));
}

TEST(FindReproduction, AnswersAMisspeltNameWithTheNearest) {
    EXPECT_EQ(error_of([] { find_reproduction("dong2018-tabel1"); }),
              "there is nothing published by the name \"dong2018-tabel1\"; did you mean "
              "\"dong2018-table1\"?");
    EXPECT_EQ(error_of([] { find_reproduction("absent.toml"); }),
              "absent.toml: cannot be read; name a TOML file of at most 1 MiB");
}

}  // namespace
}  // namespace strata

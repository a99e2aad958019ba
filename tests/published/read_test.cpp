// SPDX-License-Identifier: MIT
#include "published/read.h"

#include "published/files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// A file with one number, described by `row`, and the defaults of every number.
std::string file_with(const std::string& row,
                      const std::string& every = "basis = \"printed\", where = \"Table 1\"") {
    return "title = \"t\"\nsource = \"s\"\nevery = { network = \"alexnet\", tolerance = 5, " +
           every + " }\nnumbers = [{ name = \"n\", published = 3, " + row + " }]\n";
}

std::string mistake(const std::string& row) {
    return error_of([&] { parse_reproduction(file_with(row), "facts.toml"); });
}

TEST(ReadReproduction, UsesTheDefaultsForAbsentKeys) {
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

TEST(ReadReproduction, NamesThePlaceOfAnError) {
    EXPECT_EQ(mistake("layer = \"fc*\""),
              "facts.toml: number 1: layer: unknown key; remove or correct it");
    EXPECT_EQ(mistake("batch = 0"), "facts.toml: number 1: batch: give a positive whole number");
    EXPECT_EQ(mistake("times = \"many\""), "facts.toml: number 1: times: give it as a number");
    EXPECT_EQ(mistake("over = { published = 1 }"),
              "facts.toml: number 1: over: published: unknown key; remove or correct it");
    EXPECT_EQ(mistake("over = 3"), "facts.toml: number 1: over: give it as a table, { ... }");
    EXPECT_EQ(mistake("times = nan"), "facts.toml: number 1: times: give it as a number");
    EXPECT_EQ(error_of([] { parse_reproduction("title = ", "facts.toml"); }).substr(0, 27),
              "facts.toml:1:9: invalid TOM");
    EXPECT_EQ(error_of([] { parse_reproduction("title = \"t\"", "facts.toml"); }),
              "facts.toml: source: missing; give it");
    EXPECT_EQ(error_of([] {
                  parse_reproduction("title = \"t\"\nsource = \"s\"\nnumbers = [3]", "facts.toml");
              }),
              "facts.toml: numbers: give it as a list of tables, [{ ... }, ...]");
}

TEST(ReadReproduction, EveryNumberStatesItsBasisAndPlace) {
    const auto without = [](const std::string& every) {
        return error_of(
            [&] { parse_reproduction(file_with("layers = \"fc*\"", every), "facts.toml"); });
    };
    EXPECT_EQ(without("where = \"Table 1\""),
              "facts.toml: number 1: basis: missing; give printed, digitised, artifact or derived");
    EXPECT_EQ(without("where = \"Table 1\", basis = \"heard\""),
              "facts.toml: number 1: basis: \"heard\" is not a basis; give printed, digitised, "
              "artifact or "
              "derived");
    EXPECT_EQ(without("basis = \"printed\""),
              "facts.toml: number 1: where: missing; give the page, table, figure, slide or file");
    EXPECT_EQ(mistake("modelled = true"),
              "facts.toml: model: missing; say what the modelled numbers were fitted to");
}

TEST(ReadReproduction, ANumberMayHaveItsOwnBasis) {
    const Reproduction facts =
        parse_reproduction(file_with("basis = \"digitised\", where = \"Fig. 2\""), "facts.toml");
    EXPECT_EQ(facts.numbers.at(0).basis, Basis::digitised);
    EXPECT_EQ(facts.numbers.at(0).where, "Fig. 2");
    EXPECT_EQ(facts.numbers.at(0).method, Method::counted);
}

TEST(FindReproduction, TakesAFileOfTheUser) {
    const TemporaryDirectory folder;

    const auto path =
        folder.write("mine.toml", file_with("count = \"parameters\", differs = \"it is a joke\""));
    const Reproduced reproduced = reproduce(find_reproduction(path.string()));
    EXPECT_EQ(reproduced.comparisons.at(0).ours, 60'965'224);
    EXPECT_EQ(reproduced.comparisons.at(0).verdict, Agreement::differs);
    EXPECT_TRUE(agrees(reproduced));
}

TEST(FindReproduction, AnswersAMisspeltNameWithTheNearest) {
    EXPECT_EQ(error_of([] { find_reproduction("dong2018-tabel1"); }),
              "there is no publication named \"dong2018-tabel1\"; did you mean "
              "\"dong2018-table1\"?");
    EXPECT_EQ(error_of([] { find_reproduction("absent.toml"); }),
              "absent.toml: cannot be read (No such file or directory); name a TOML file of at "
              "most 1 MiB");
}

}  // namespace
}  // namespace strata

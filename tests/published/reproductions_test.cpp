// SPDX-License-Identifier: MIT
#include "published/files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace strata {
namespace {

class EveryReproduction : public ::testing::TestWithParam<EmbeddedFile> {
protected:
    Reproduced reproduced = reproduce(find_reproduction(GetParam().name));
};

TEST_P(EveryReproduction, AgreesOrExplainsTheDifference) {
    for (const ComparedNumber& comparison : reproduced.comparisons) {
        EXPECT_NE(comparison.verdict, Agreement::unexplained)
            << comparison.quantity << ": published " << std::fixed << comparison.published
            << ", ours " << comparison.ours;
    }
    EXPECT_TRUE(agrees(reproduced));
}

TEST_P(EveryReproduction, ExplainsOnlyDifferences) {
    for (std::size_t i = 0; i < reproduced.comparisons.size(); ++i) {
        const ComparedNumber& comparison = reproduced.comparisons[i];
        EXPECT_EQ(comparison.verdict == Agreement::differs,
                  !reproduced.reproduction.numbers[i].differs.empty())
            << comparison.quantity << ": ours is " << std::fixed << comparison.ours;
    }
}

// Arithmetic on published numbers is not a publication: it belongs in derived_test.cpp.
TEST_P(EveryReproduction, HasOnlyNumbersThatWerePublished) {
    for (const PublishedNumber& number : reproduced.reproduction.numbers) {
        EXPECT_NE(number.basis, Basis::derived) << number.name;
    }
}

// What a kernel executes and what a figure's algorithms compute are formulas fitted to those
// numbers.
TEST_P(EveryReproduction, CallsAFittedFormulaModelled) {
    const std::set<std::string> fitted = {"fft-domain", "winograd-domain"};
    for (const PublishedNumber& number : reproduced.reproduction.numbers) {
        const Counted& counted = number.counted;
        if (counted.what == "kernel" || fitted.contains(counted.convention) ||
            counted.convention.starts_with("executed-")) {
            EXPECT_EQ(number.method, Method::modelled) << number.name;
        }
    }
}

// A second row for the same number would count the same agreement twice.
TEST_P(EveryReproduction, ComparesEachNumberWithOneCount) {
    std::set<std::string> names;
    for (const PublishedNumber& number : reproduced.reproduction.numbers) {
        EXPECT_TRUE(names.insert(number.name).second) << number.name;
    }
    EXPECT_FALSE(reproduced.reproduction.source.empty());
    EXPECT_FALSE(reproduced.reproduction.title.empty());
}

// The reproductions that need no file of the authors and no model of several devices.
std::vector<EmbeddedFile> counted_files() {
    std::vector<EmbeddedFile> files;
    for (const EmbeddedFile& file : published_files()) {
        const Reproduction reproduction = find_reproduction(file.name);
        const auto needs_more = [](const PublishedNumber& number) {
            return number.release.has_value() || number.speedup.has_value();
        };
        if (std::ranges::none_of(reproduction.numbers, needs_more)) {
            files.push_back(file);
        }
    }
    return files;
}

INSTANTIATE_TEST_SUITE_P(Published, EveryReproduction, ::testing::ValuesIn(counted_files()),
                         [](const auto& parameter) {
                             std::string name(parameter.param.name);
                             std::erase(name, '-');
                             return name;
                         });

TEST(Reproductions, DongsTableRoundsAsPrinted) {
    const Reproduced table = reproduce(find_reproduction("dong2018-table1"));
    ASSERT_EQ(table.comparisons.size(), 21u);
    for (const ComparedNumber& comparison : table.comparisons) {
        EXPECT_LE(comparison.verdict, Agreement::within) << comparison.quantity;
        EXPECT_EQ(comparison.where, "Table 1");
    }
}

TEST(Reproductions, AreTalliedByBasisAndMethod) {
    const std::vector<Reproduced> one = {reproduce(find_reproduction("dong2018-table1"))};
    const auto tallies = tallies_of(one);
    ASSERT_EQ(tallies.size(), 2u);
    EXPECT_EQ(tallies[0].basis, Basis::printed);
    EXPECT_EQ(tallies[0].method, Method::counted);
    EXPECT_EQ(tallies[0].verdicts, (std::array<std::size_t, 4>{1, 18, 0, 0}));
    EXPECT_EQ(tallies[1].method, Method::modelled);
    EXPECT_EQ(tallies[1].verdicts, (std::array<std::size_t, 4>{0, 2, 0, 0}));
}

}  // namespace
}  // namespace strata

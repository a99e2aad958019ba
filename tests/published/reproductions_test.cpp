// SPDX-License-Identifier: MIT
#include "published/files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace strata {
namespace {

class EveryReproduction : public testing::TestWithParam<PublishedFile> {
protected:
    Reproduced reproduced = reproduce(find_reproduction(GetParam().name));
};

TEST_P(EveryReproduction, AgreesOrSaysWhyNot) {
    for (const Comparison& comparison : reproduced.comparisons) {
        EXPECT_NE(comparison.verdict, Verdict::unexplained)
            << comparison.number.name << ": published " << comparison.number.published << ", ours "
            << std::fixed << comparison.ours;
    }
    EXPECT_TRUE(agrees(reproduced));
}

TEST_P(EveryReproduction, ExplainsOnlyWhatDiffers) {
    for (const Comparison& comparison : reproduced.comparisons) {
        EXPECT_EQ(comparison.verdict == Verdict::differs, !comparison.number.differs.empty())
            << comparison.number.name << ": ours is " << std::fixed << comparison.ours;
    }
}

TEST_P(EveryReproduction, HoldsWhatStandsBehindARoundedNumberWithinItsRounding) {
    for (const PublishedNumber& number : reproduced.reproduction.numbers) {
        if (number.exact) {
            EXPECT_LE(std::abs(*number.exact - number.published), number.tolerance) << number.name;
        }
    }
}

TEST_P(EveryReproduction, NamesEachNumberOnceAndItsSource) {
    std::set<std::string> names;
    for (const PublishedNumber& number : reproduced.reproduction.numbers) {
        EXPECT_TRUE(names.insert(number.name).second) << number.name;
    }
    EXPECT_FALSE(reproduced.reproduction.source.empty());
    EXPECT_FALSE(reproduced.reproduction.title.empty());
}

INSTANTIATE_TEST_SUITE_P(Published, EveryReproduction,
                         testing::ValuesIn(published_files().begin(), published_files().end()),
                         [](const auto& parameter) {
                             std::string name(parameter.param.name);
                             std::erase(name, '-');
                             return name;
                         });

TEST(Reproductions, DongsTableComesOutToTheDigit) {
    const Reproduced table = reproduce(find_reproduction("dong2018-table1"));
    ASSERT_EQ(table.comparisons.size(), 21u);
    for (const Comparison& comparison : table.comparisons) {
        EXPECT_EQ(comparison.verdict, Verdict::equal) << comparison.number.name;
    }
}

}  // namespace
}  // namespace strata

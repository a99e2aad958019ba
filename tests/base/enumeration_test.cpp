// SPDX-License-Identifier: MIT
#include "base/enumeration.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

enum class Colour { red, blue };
constexpr std::array<std::string_view, 2> names_of(Colour) {
    return {"red", "blue"};
}

TEST(Enumeration, ANameAndItsValueAreInverse) {
    EXPECT_EQ(name_of(Colour::blue), "blue");
    EXPECT_EQ(value_named<Colour>("blue"), Colour::blue);
}

TEST(Enumeration, AnUnknownNameHasNoValue) {
    EXPECT_EQ(value_named<Colour>("Blue"), std::nullopt);
    EXPECT_EQ(value_named<Colour>(""), std::nullopt);
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "op/tensor.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Tensor, ShapesRoundTripThroughText) {
    for (const Dims& dims : {Dims{}, Dims{7}, Dims{32, 3, 224, 224}, Dims{0, -1}}) {
        EXPECT_EQ(parse_dims(to_text(dims)), dims);
    }
    EXPECT_EQ(to_text(Dims{32, 3, 224, 224}), "32x3x224x224");
    EXPECT_EQ(to_text(Dims{}), "scalar");
}

TEST(Tensor, InvalidShapesAreRefused) {
    for (const auto* text : {"", "x", "3x", "axb", "3.5", "99999999999999999999"}) {
        EXPECT_THROW(parse_dims(text), Error) << text;
    }
}

TEST(Tensor, AScalarHasOneElementAndAnEmptyAxisNone) {
    EXPECT_EQ(product(Dims{}), 1);
    EXPECT_EQ(product(Dims{3, 0, 5}), 0);
}

TEST(Tensor, AProductThatWouldOverflowIsAnErrorAndNotANumber) {
    const std::int64_t big = std::int64_t{1} << 30;
    EXPECT_EQ(product(Dims{big, std::int64_t{1} << 29}), max_elements);
    EXPECT_THROW(product(Dims{big, big}), Error);
    EXPECT_THROW(product(Dims{INT64_MAX}), Error);
    EXPECT_THROW(product(Dims{0, INT64_MAX}), Error);
    EXPECT_THROW(product(Dims{3, -1}), Error);
}

TEST(Tensor, BytesFollowTheElementType) {
    EXPECT_EQ((Tensor{{2, 3}, DataType::bf16}).bytes().value, 12);
    EXPECT_EQ((Tensor{{2, 3}, DataType::s64}).bytes().value, 48);
}

TEST(Tensor, NamesOfTypesAndRolesRoundTrip) {
    for (const auto dtype :
         {DataType::f32, DataType::f64, DataType::f16, DataType::bf16, DataType::s8, DataType::u8,
          DataType::s32, DataType::s64, DataType::boolean}) {
        EXPECT_EQ(parse_data_type(name_of(dtype)), dtype);
    }
    for (const auto role : {Role::input, Role::label, Role::activation, Role::parameter,
                            Role::statistic, Role::constant}) {
        EXPECT_EQ(parse_role(name_of(role)), role);
    }
    EXPECT_THROW(parse_data_type("float"), Error);
    EXPECT_EQ(parse_role("weight"), std::nullopt);
}

}  // namespace
}  // namespace strata

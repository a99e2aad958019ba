// SPDX-License-Identifier: MIT
#include "run/files.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Files, ATensorsNameBecomesAFileNameThatCannotLeaveTheFolder) {
    EXPECT_EQ(file_name_of("conv1/relu:0"), "conv1_relu_0");
    EXPECT_EQ(file_name_of("../../etc/passwd"), ".._.._etc_passwd");
    EXPECT_EQ(file_name_of("A-z_0.9"), "A-z_0.9");
    EXPECT_EQ(file_name_of("caf\xC3\xA9"), "caf__");
}

}  // namespace
}  // namespace strata

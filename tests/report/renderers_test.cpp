// SPDX-License-Identifier: MIT
#include "report/renderers.h"

#include "base/error.h"
#include "tests/report/sample_document.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Renderers, AreFoundByNameAndByExtension) {
    EXPECT_EQ(find_renderer("markdown").name, "markdown");
    EXPECT_EQ(find_renderer("md").name, "markdown");
}

TEST(Renderers, AMisspeltNameIsAnsweredWithTheNearest) {
    try {
        find_renderer("markdwon");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("'markdown'"), std::string::npos);
    }
}

TEST(Renderers, EachRendersTheSampleAndTheEmptyDocument) {
    for (const auto& renderer : renderers()) {
        EXPECT_FALSE(renderer.render(testing::sample_document()).empty()) << renderer.name;
        EXPECT_NO_THROW(renderer.render({})) << renderer.name;
    }
}

}  // namespace
}  // namespace strata

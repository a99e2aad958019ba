// SPDX-License-Identifier: MIT
#include "view/kernels.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::string paragraph(const Document& document, std::size_t index) {
    return std::get<Paragraph>(document.blocks.at(index)).text;
}

TEST(KernelsView, SaysWhereTheKernelsAreFromAndWhatDistinguishesThem) {
    const KernelSet set{
        .id = 3, .origin = Origin::imported, .network = "alexnet", .source = "kernels.db"};
    const Document document = kernels_document(set, {294, 294, 268}, {}, {});
    EXPECT_EQ(paragraph(document, 0),
              "294 kernels of alexnet, imported from kernels.db: kernel set 3.");
    EXPECT_EQ(
        paragraph(document, 1),
        "Device, batch, full name and invocation identify all of them; bare names would only 268.");
}

TEST(KernelsView, AcceptsBareNamesIfTheySuffice) {
    const Document document = kernels_document({.network = "x"}, {2, 2, 2}, {}, {});
    EXPECT_NE(paragraph(document, 1).find("bare names would too"), std::string::npos);
}

}  // namespace
}  // namespace strata

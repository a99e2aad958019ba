// SPDX-License-Identifier: MIT
#include "backend/library_offers.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(LibraryOffers, AreListedNewestFirstAndComparedByNumbers) {
    EXPECT_EQ(newer_onednn("3.7.2"), "3.13.1 (to be built), 3.12 (conda-forge)");
    EXPECT_EQ(newer_onednn(std::string(onednn_offers().front().version)), "");
    EXPECT_EQ(newer_onednn("4.0.0"), "");
}

TEST(LibraryOffers, AnOldLibraryGetsEveryNewerOneOffered) {
    const std::string newer = newer_onednn("2.6.3");
    for (const LibraryOffer& offer : onednn_offers().first(onednn_offers().size() - 1)) {
        EXPECT_NE(newer.find(offer.version), std::string::npos) << offer.version;
    }
    EXPECT_EQ(newer.find("2.6.3"), std::string::npos);
}

}  // namespace
}  // namespace strata

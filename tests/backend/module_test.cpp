// SPDX-License-Identifier: MIT
#include "backend/module.h"
#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata {
namespace {

ExitCode code_of_opening(const std::string& name) {
    try {
        open_backend_module(name);
    } catch (const Error& error) {
        return error.code();
    }
    return ExitCode::done;
}

TEST(Module, AnAbsentModuleIsReportedAsMachineCannot) {
    EXPECT_EQ(code_of_opening("abacus"), ExitCode::machine_cannot);
}

TEST(Module, AFileThatIsNotALibraryIsRefusedWithTheLoadersReason) {
    const TemporaryDirectory directory;
    directory.write("libstrata_broken.so", "not a library");
    setenv("STRATA_BACKEND_PATH", directory.path().c_str(), 1);
    EXPECT_EQ(code_of_opening("broken"), ExitCode::machine_cannot);
    unsetenv("STRATA_BACKEND_PATH");
}

TEST(Module, AModuleOfAnotherBuildIsRefusedBeforeItIsUsed) {
    setenv("STRATA_BACKEND_PATH", STRATA_STALE_MODULE_DIR, 1);
    const std::string sentence = error_of([] { open_backend_module("stale"); });
    unsetenv("STRATA_BACKEND_PATH");
    EXPECT_NE(sentence.find("another version of strata"), std::string::npos) << sentence;
}

TEST(LibraryOffers, AreListedNewestFirstAndComparedByNumbers) {
    EXPECT_EQ(newer_onednn("3.7.2"), "3.13.1 (to be built), 3.12 (conda-forge)");
    EXPECT_EQ(newer_onednn(std::string(onednn_offers().front().version)), "");
    EXPECT_EQ(newer_onednn("4.0.0"), "");
}

TEST(LibraryOffers, AnOldLibraryIsOfferedEveryNewerOne) {
    const std::string newer = newer_onednn("2.6.3");
    for (const LibraryOffer& offer : onednn_offers().first(onednn_offers().size() - 1)) {
        EXPECT_NE(newer.find(offer.version), std::string::npos) << offer.version;
    }
    EXPECT_EQ(newer.find("2.6.3"), std::string::npos);
}

}  // namespace
}  // namespace strata

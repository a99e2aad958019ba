// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/trouble.h"

#include "base/enumeration.h"
#include "tests/support/error_message.h"

#include <cupti_result.h>
#include <gtest/gtest.h>

#include <set>

namespace strata::cuda {
namespace {

bool holds(const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
}

std::string sentence_of(int code) {
    return error_of([&] { require_cupti(code, "count on the GPU"); });
}

TEST(ProfilerTrouble, SuccessIsNoTrouble) {
    EXPECT_NO_THROW(require_cupti(CUPTI_SUCCESS, "count"));
}

TEST(ProfilerTrouble, EachTroubleHasItsOwnFix) {
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
                      "NVreg_RestrictProfilingToAdminUsers=0"));
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
                      "another profiler is attached"));
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_HARDWARE_BUSY), "dcgmi"));
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED), "virtual"));
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES),
                      "enable_profiling"));
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED),
                      "confidential computing"));
    EXPECT_TRUE(holds(sentence_of(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED), "undivided"));
}

TEST(ProfilerTrouble, EveryTroubleHasASentenceOfItsOwnInOneLine) {
    std::set<std::string> sentences;
    for (std::size_t i = 0; i < names_of(ProfilerTrouble{}).size(); ++i) {
        const ProfilerError error(static_cast<ProfilerTrouble>(i), "count");
        const std::string sentence = error.what();
        EXPECT_TRUE(holds(sentence, "cannot count: ")) << sentence;
        EXPECT_FALSE(holds(sentence, "\n")) << sentence;
        EXPECT_EQ(error.code(), ExitCode::machine_cannot);
        sentences.insert(sentence);
    }
    EXPECT_EQ(sentences.size(), names_of(ProfilerTrouble{}).size());
}

TEST(ProfilerTrouble, AnUnknownCodeKeepsItsNumber) {
    EXPECT_EQ(trouble_of(777), ProfilerTrouble::refused);
    EXPECT_TRUE(holds(sentence_of(777), "CUPTI error 777"));
}

}  // namespace
}  // namespace strata::cuda

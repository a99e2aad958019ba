// SPDX-License-Identifier: MIT
#include "run/job.h"

#include "base/file.h"
#include "record/identity.h"
#include "tests/support/another_value.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Job job_on(std::string network) {
    Job job;
    job.backend = "reference";
    job.request.network = std::move(network);
    return job;
}

TEST(Job, EverythingThatDecidesAResultIsPartOfItsIdentity) {
    const Job plain = job_on("alexnet");
    const auto differs = [&](auto change) {
        Job changed = plain;
        change(changed);
        return identity_of(changed) != identity_of(plain);
    };
    EXPECT_EQ(identity_of(plain), identity_of(job_on("alexnet")));
    EXPECT_TRUE(differs([](Job& job) { job.request.batch = 2; }));
    EXPECT_TRUE(differs([](Job& job) { job.policy.caches = CacheState::cold; }));
    EXPECT_TRUE(differs([](Job& job) { job.request.dims["sequence"] = 8; }));
    EXPECT_TRUE(differs([](Job& job) { job.slice = "conv*"; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.numerics.mode = Mode::inference; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.numerics.dtype = DataType::bf16; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.engine.fusion = Fusion::convolution; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.engine.l1 = L1Caching::bypassed; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.scheduling.threads = 1; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.scheduling.pinned = false; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.numerics.optimizer = Adam{}; }));
    EXPECT_TRUE(differs([](Job& job) { job.execution.numerics.seed = 2; }));
    EXPECT_TRUE(
        differs([](Job& job) { job.execution.engine.algorithm = ConvolutionAlgorithm::winograd; }));
    EXPECT_TRUE(differs([](Job& job) {
        job.execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    }));
    EXPECT_TRUE(differs([](Job& job) { job.policy.precision = 0.02; }));
    EXPECT_TRUE(differs([](Job& job) { job.verification = Verification::done; }));
}

TEST(Job, EachOptionThatDecidesAResultIsPartOfItsIdentity) {
    const Job plain = job_on("alexnet");
    for (const Option& option : all_options()) {
        const Settings changed = testing::with(option, testing::another_value(option));
        Job job = plain;
        job.slice = changed.slice;
        job.execution = changed.execution;
        job.policy = changed.policy;
        EXPECT_EQ(identity_of(job) != identity_of(plain), option.role == OptionRole::experiment)
            << option.name;
    }
}

TEST(Job, AFileIsIdentifiedByItsContentAndNotByItsName) {
    const TemporaryDirectory folder;
    const auto job_of = [&](const char* name, const std::string& text) {
        const auto file = folder.path() / name;
        replace_file(file, text);
        Job job = job_on((folder.path() / "n.graph").string());
        job.inputs["x"] = file;
        job.request.network = file.string() + ".graph";
        replace_file(job.request.network, text);
        job.content = content_of(job);
        return job;
    };
    const Job first = job_of("a", "one");
    EXPECT_EQ(first.content.size(), 2U);
    EXPECT_NE(identity_of(job_of("a", "two")), identity_of(first)) << "another content";
    EXPECT_EQ(identity_of(job_of("b", "one")), identity_of(first)) << "another name";
    EXPECT_EQ(settings_of(first, 1, 1).content.at("network"), first.content.at("network"));
    EXPECT_NE(key_of(settings_of(first, 1, 1)), key_of(settings_of(job_of("a", "two"), 1, 1)));
    EXPECT_TRUE(content_of(job_on("alexnet")).empty());
}

TEST(Job, ARunRecordsEveryNonDefaultSetting) {
    const auto further = [](auto change) {
        Job job = job_on("alexnet");
        change(job);
        return further_settings(settings_of(job, 1, 2));
    };
    using Told = std::map<std::string, std::string>;
    EXPECT_EQ(further([](Job&) {}), Told());
    EXPECT_EQ(further([](Job& job) { job.execution.numerics.seed = 7; }), (Told{{"seed", "7"}}));
    EXPECT_EQ(further([](Job& job) { job.execution.scheduling.pinned = false; }),
              (Told{{"pinned", "no"}}));
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "run/job.h"

#include "base/file.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "record/identity.h"
#include "tests/support/another_value.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

// Reads words as `strata run` does.
Job job_from(const std::vector<std::string>& words) {
    Job job;
    Settings settings;
    const auto value_at = [&](std::size_t& i) { return words.at(++i); };
    const auto pair_at = [&](std::size_t& i) {
        const std::string text = value_at(i);
        return std::pair(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& flag = words[i];
        if (const auto option = std::ranges::find(all_options(), flag, &Option::flag);
            option != all_options().end()) {
            const bool is_switch = option->value == OptionValue::none;
            set_option(settings, *option,
                       is_switch ? std::string(switched_value(*option)) : value_at(i));
        } else if (flag == "--backend") {
            job.backend = value_at(i);
        } else if (flag == "--batch") {
            job.request.batch = parse_integer(value_at(i));
        } else if (flag == "--dim") {
            const auto [name, value] = pair_at(i);
            job.request.dims[name] = parse_integer(value).value();
        } else if (flag == "--set") {
            job.request.variables.insert(pair_at(i));
        } else if (flag == "--input") {
            job.inputs.insert(pair_at(i));
        } else if (flag == "--counters") {
            job.counters.push_back({.name = value_at(i)});
        } else if (flag == "--verify") {
            job.verification = Verification::done;
        } else if (flag == "--trace") {
            job.tracing = Tracing::done;
        } else if (flag == "--allow-incomplete") {
            job.remainder = Remainder::measured;
        } else if (flag == "--memory") {
            job.memory = parse_byte_size(value_at(i));
        } else if (flag == "--dump") {
            job.dump = Dump{.directory = value_at(i), .layers = {}};
        } else if (flag == "--layer") {
            job.dump->layers = value_at(i);
        } else if (flag.starts_with("--infeed-threads")) {
            job.infeed->threads = static_cast<int>(parse_integer(value_at(i)).value());
        } else if (flag.starts_with("--infeed")) {
            job.infeed = InfeedRequest{};
            job.infeed->folder = flag.size() > 9 ? flag.substr(9) : "";
        } else if (flag == "--") {
            job.request.network = value_at(i);
        } else {
            ADD_FAILURE() << "unknown word " << flag;
        }
    }
    job.slice = settings.slice;
    job.execution = settings.execution;
    job.policy = settings.policy;
    return job;
}

std::string random_value(const Option& option, std::mt19937_64& random) {
    const std::size_t choice = random() % 8;
    if (option.choices == nullptr) {
        return choice < 4 ? testing::another_value(option) : option.text(Settings{});
    }
    const auto choices = option.choices();
    return std::string(choices[choice % choices.size()]);
}

Job random_job(std::mt19937_64& random) {
    const auto coin = [&] { return random() % 2 == 0; };
    Job job = job_on(coin() ? "alexnet" : "convolution(1x3x8x8) out_channels=4 kernel=3x3");
    Settings settings;
    for (const Option& option : all_options()) {
        option.set(settings, random_value(option, random));
    }
    job.slice = settings.slice;
    job.execution = settings.execution;
    job.policy = settings.policy;
    job.verification = coin() ? Verification::done : Verification::omitted;
    job.tracing = coin() ? Tracing::done : Tracing::omitted;
    job.remainder = coin() ? Remainder::measured : Remainder::refused;
    if (coin()) {
        job.request.batch = 1 + static_cast<std::int64_t>(random() % 512);
    }
    if (coin()) {
        job.request.dims = {{"sequence", 8}, {"tokens", 77}};
        job.request.variables = {{"N", "a=b"}};
        job.inputs = {{"x", "some folder/x.npy"}, {"y", "y.npy"}};
    }
    if (coin()) {
        job.memory = Bytes{static_cast<double>(random() >> 20)};
        job.counters = {{.name = "flops"}, {.name = "dram"}};
    }
    if (coin()) {
        job.infeed = InfeedRequest{.folder = coin() ? "photos" : "", .threads = 3};
        job.dump = Dump{.directory = "out", .layers = coin() ? "conv*" : ""};
    }
    return job;
}

TEST(Job, ItsArgumentsGiveTheSameJobAgain) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 500; ++i) {
        const Job job = random_job(random);
        const Job again = job_from(to_arguments(job));
        ASSERT_EQ(identity_of(again), identity_of(job));
        EXPECT_EQ(to_arguments(again), to_arguments(job));
        EXPECT_EQ(again.request.variables, job.request.variables);
        EXPECT_EQ(again.inputs, job.inputs);
        EXPECT_EQ(again.memory, job.memory);
        EXPECT_EQ(again.remainder, job.remainder);
        EXPECT_EQ(again.execution.scheduling.device_timeout,
                  job.execution.scheduling.device_timeout);
        ASSERT_EQ(again.dump.has_value(), job.dump.has_value());
        EXPECT_TRUE(!job.dump || (again.dump->directory == job.dump->directory &&
                                  again.dump->layers == job.dump->layers));
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

// SPDX-License-Identifier: MIT
// What holds of every prediction, over random cases: a better device is never slower, and more work
// never faster. STRATA_LAWS_CASES sets how many cases, STRATA_LAWS_SEED the first.
#include "base/error.h"
#include "networks/network.h"
#include "predict/network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace strata::testing {

namespace {

struct LawCase {
    std::string device, network;
    std::int64_t batch = 1;
    DataType dtype = DataType::f32;
    Mode mode = Mode::training;
    Fusion fusion = Fusion::none;

    std::string text() const {
        return fmt::format("strata predict {} --device {} --batch {} --dtype {}{}{}", network,
                           device, batch, name_of(dtype),
                           mode == Mode::inference ? " --inference" : "",
                           fusion == Fusion::convolution ? " --fusion convolution" : "");
    }
};

using Random = std::mt19937_64;

template <class T, std::size_t count>
T one_of(const std::array<T, count>& all, Random& random) {
    return all[random() % count];
}

std::int64_t between(std::int64_t least, std::int64_t most, Random& random) {
    return least +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

// A width as networks have it: often a power of two or beside one, sometimes any.
std::int64_t width(std::int64_t most, Random& random) {
    std::int64_t found = 1;
    for (std::int64_t power = most; power > 1; power /= 2) {
        found *= random() % 3 == 0 ? 1 : 2;
    }
    found = std::min(found, most);
    return std::max<std::int64_t>(1, found + between(-1, 1, random));
}

std::string random_network(std::int64_t wider, Random random) {
    constexpr std::array<std::string_view, 14> small = {
        "alexnet",    "resnet-18",         "mobilenet-v2", "shufflenet-v2",
        "squeezenet", "lstm-sentiment",    "text-cnn",     "ncf",
        "dlrm",       "bert-base-unfused", "vgg-11",       "googlenet",
        "lstm-ptb",   "mobilenet-v3-small"};
    switch (random() % 6) {
        case 0:
            return fmt::format("fc:layers=2,nodes={},inputs={}", width(4096, random) + wider,
                               width(4096, random));
        case 1: {
            const std::string_view cell =
                one_of(std::array<std::string_view, 3>{"rnn", "lstm", "gru"}, random);
            const auto embed = width(1024, random), length = width(64, random);
            return fmt::format("{}:layers=2,embed={},length={}", cell, embed, length + wider);
        }
        case 2: {
            const auto heads = one_of(std::array<std::int64_t, 3>{2, 4, 8}, random);
            const auto embed = heads * one_of(std::array<std::int64_t, 3>{16, 64, 80}, random);
            return fmt::format("transformer:layers=1,embed={},heads={},inner={},length={}", embed,
                               heads, width(2048, random), width(512, random) + wider);
        }
        case 3:
            return fmt::format(
                "{}:filters={},image={}",
                one_of(std::array<std::string_view, 2>{"residual", "bottleneck"}, random),
                width(64, random) + wider, 32 + width(128, random));
        default:
            return std::string(one_of(small, random));
    }
}

LawCase random_case(std::uint64_t seed) {
    Random random(seed);
    LawCase found;
    const auto files = device_files();
    found.device = files[random() % files.size()].name;
    found.batch = width(256, random);
    found.dtype =
        one_of(std::array{DataType::f32, DataType::f32, DataType::f16, DataType::bf16}, random);
    found.mode = random() % 2 == 0 ? Mode::training : Mode::inference;
    found.fusion = random() % 4 == 0 ? Fusion::convolution : Fusion::none;
    return found;
}

// Nothing of what cannot be predicted whole.
std::optional<NetworkPrediction> predicted(const LawCase& one, const std::string& name,
                                           std::int64_t batch, const DeviceModel& device) {
    Graph graph = load_network({.network = name, .batch = batch, .dims = {}, .variables = {}});
    if (one.mode == Mode::inference) {
        graph = for_inference(std::move(graph));
    }
    Execution execution;
    execution.numerics.mode = one.mode;
    execution.numerics.dtype = one.dtype;
    execution.engine.fusion = one.fusion;
    NetworkPrediction found = predict_network(graph, execution, device);
    return found.refused() == 0 ? std::optional(std::move(found)) : std::nullopt;
}

std::uint64_t number_in(const char* name, std::uint64_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

std::string slower_step(const NetworkPrediction& before, const NetworkPrediction& after) {
    std::string found;
    double most = 0;
    for (std::size_t i = 0; i < std::min(before.steps.size(), after.steps.size()); ++i) {
        const double more = (after.steps[i].time() - before.steps[i].time()).value;
        if (more > most) {
            most = more;
            found = fmt::format("step {} {} {}: ", i, before.steps[i].layer,
                                name_of(before.steps[i].pass));
            for (const auto* const which : {&before.steps[i], &after.steps[i]}) {
                for (const KernelPrediction& kernel : which->kernels) {
                    found += fmt::format("[{} {}us {}", kernel.name, kernel.time.value * 1e6,
                                         name_of(kernel.rates));
                    for (const Term term : all_terms) {
                        found += fmt::format(" {:.1f}", kernel.terms[term].value * 1e6);
                    }
                    if (kernel.tiles) {
                        found += fmt::format(" {}x{}x{}x{} tile {}x{} s{}", kernel.tiles->batch,
                                             kernel.tiles->m, kernel.tiles->n, kernel.tiles->k,
                                             kernel.tiles->tile_m, kernel.tiles->tile_n,
                                             kernel.tiles->splits);
                    }
                    if (kernel.convolution) {
                        const auto& c = *kernel.convolution;
                        found += fmt::format(" n{} c{} {}x{} k{} {}x{} s{} g{} pass{}", c.n, c.c,
                                             c.h, c.w, c.k, c.r, c.s, c.stride_h, c.groups,
                                             static_cast<int>(c.pass));
                    }
                    found += "]";
                }
                found += " -> ";
            }
        }
    }
    return found;
}

TEST(Laws, ABetterDeviceIsNeverSlower) {
    const std::uint64_t cases = number_in("STRATA_LAWS_CASES", 100),
                        first = number_in("STRATA_LAWS_SEED", 1);
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const LawCase one = [&] {
            LawCase found = random_case(seed);
            found.network = random_network(0, Random(seed + 1000000));
            return found;
        }();
        const DeviceDescription device = find_description(one.device);
        const auto model = model_of(device);
        const auto before = predicted(one, one.network, one.batch, *model);
        if (!before) {
            continue;
        }
        for (const DeviceField& field : device_fields()) {
            if (!number_of(device, field)) {
                continue;
            }
            const std::string doubled = fmt::format("{}=2x", field.key);
            const auto set = model_of(device, {doubled});
            const auto by_set = predicted(one, one.network, one.batch, *set);
            DeviceDescription file = device;
            change(file, doubled);
            follow(device, file);
            const auto by_file = predicted(one, one.network, one.batch, *model_of(file));
            ASSERT_TRUE(by_set && by_file) << one.text() << " --set " << doubled;
            EXPECT_LE(by_set->time().value, 1.005 * before->time().value)
                << one.text() << " --set " << doubled << "\n   " << slower_step(*before, *by_set);
            EXPECT_NEAR(by_file->time() / by_set->time(), 1, 1e-9)
                << one.text() << " --set " << doubled;
        }
    }
}

TEST(Laws, MoreWorkIsNeverFaster) {
    const std::uint64_t cases = number_in("STRATA_LAWS_CASES", 100),
                        first = number_in("STRATA_LAWS_SEED", 1);
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        LawCase one = random_case(seed);
        one.network = random_network(0, Random(seed + 1000000));
        const auto model = model_of(find_description(one.device));
        Random random(seed);
        const auto before = predicted(one, one.network, one.batch, *model);
        if (!before) {
            continue;
        }
        for (const std::int64_t batch :
             {one.batch + 1, one.batch + between(1, one.batch, random), 2 * one.batch}) {
            const auto after = predicted(one, one.network, batch, *model);
            EXPECT_GE(after->time().value, 0.99 * before->time().value)
                << one.text() << " and " << batch << "\n   " << slower_step(*after, *before);
        }
        for (const std::int64_t wider : {1, 7}) {
            const std::string name = random_network(wider, Random(seed + 1000000));
            if (name == one.network) {
                continue;
            }
            const auto after = predicted(one, name, one.batch, *model);
            EXPECT_GE(after->time().value, 0.99 * before->time().value)
                << one.text() << " and " << name << "\n   " << slower_step(*after, *before);
        }
    }
}

}  // namespace

}  // namespace strata::testing

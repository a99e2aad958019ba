// SPDX-License-Identifier: MIT
// Laws of every prediction, over random cases: a better device is never slower, more work never
// faster, 16 bits never slower than 32 in matrix units, and parts add up to the whole.
// bench/predict/laws runs the same for any length of time.
#include "networks/network.h"
#include "predict/arithmetic.h"
#include "predict/network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata::testing {

namespace {

constexpr double slower_at_most = 1.005;
constexpr double faster_at_most = 0.99;

using Draws = std::mt19937_64;

template <class T>
const T& one_of(const std::vector<T>& all, Draws& draws) {
    return all[draws() % all.size()];
}

std::int64_t between(std::int64_t least, std::int64_t most, Draws& draws) {
    return least +
           static_cast<std::int64_t>(draws() % static_cast<std::uint64_t>(most - least + 1));
}

// An extent as in networks: a power of two, or one next to it.
std::int64_t extent(int most_bits, Draws& draws) {
    const std::int64_t power = std::int64_t{1} << between(1, most_bits, draws);
    return power + between(-1, 1, draws);
}

// The drawn network with its drawn extents widened by `wider`; the zoo's cannot be widened.
std::string drawn_network(std::int64_t wider, Draws draws) {
    static const std::vector<std::string> zoo = {
        "alexnet",         "resnet-18", "mobilenet-v2", "shufflenet-v2",      "squeezenet",
        "text-cnn",        "ncf",       "dlrm",         "bert-base-unfused",  "lstm-sentiment",
        "efficientnet-b0", "gnmt",      "googlenet",    "mobilenet-v3-small", "swin-tiny"};
    static const std::vector<std::string> cells = {"rnn", "lstm", "gru"};
    static const std::vector<std::string> images = {"residual", "bottleneck"};
    switch (draws() % 6) {
        case 0:
            return fmt::format("fc:layers=2,inputs={},nodes={}", extent(12, draws),
                               extent(12, draws) + wider);
        case 1: {
            const std::string& cell = one_of(cells, draws);
            return fmt::format("{}:layers=2,embed={},length={}", cell, extent(10, draws),
                               extent(6, draws) + wider);
        }
        case 2: {
            const std::int64_t heads = between(1, 8, draws);
            const std::int64_t embed = heads * one_of<std::int64_t>({16, 64, 80}, draws);
            return fmt::format("transformer:layers=1,heads={},embed={},inner={},length={}", heads,
                               embed, extent(11, draws), extent(9, draws) + wider);
        }
        case 3: {
            const std::string& kind = one_of(images, draws);
            return fmt::format("{}:image={},filters={}", kind, 32 + extent(7, draws),
                               extent(6, draws) + wider);
        }
        default:
            return one_of(zoo, draws);
    }
}

struct LawCase {
    std::uint64_t seed = 0;
    std::string device, network;
    std::int64_t batch = 1;
    Numerics numerics = {};
    Fusion fusion = Fusion::none;

    // The command that reproduces it.
    std::string text() const {
        return fmt::format("strata predict {} --device {} --batch {} --dtype {}{}{}", network,
                           device, batch, name_of(numerics.dtype),
                           numerics.mode == Mode::inference ? " --inference" : "",
                           fusion == Fusion::convolution ? " --fuse on" : "");
    }
    LawCase widened(std::int64_t wider) const {
        LawCase found = *this;
        found.network = drawn_network(wider, Draws(seed));
        return found;
    }
};

LawCase drawn_case(std::uint64_t seed) {
    Draws draws(seed + 1'000'000);
    LawCase found{.seed = seed, .device = {}, .network = drawn_network(0, Draws(seed))};
    found.device = device_files()[draws() % device_files().size()].name;
    found.batch = extent(8, draws);
    found.numerics.dtype =
        one_of<DataType>({DataType::f32, DataType::f32, DataType::f16, DataType::bf16}, draws);
    found.numerics.mode = draws() % 2 == 0 ? Mode::training : Mode::inference;
    found.fusion = draws() % 4 == 0 ? Fusion::convolution : Fusion::none;
    return found;
}

NetworkPrediction predicted(const LawCase& one, const DeviceModel& device) {
    Graph graph =
        load_network({.network = one.network, .batch = one.batch, .dims = {}, .variables = {}});
    if (one.numerics.mode == Mode::inference) {
        graph = for_inference(std::move(graph));
    }
    Execution execution;
    execution.numerics = one.numerics;
    execution.engine.fusion = one.fusion;
    return predict_network(graph, execution, device);
}

// Runs `count` cases that can be predicted completely.
template <class Check>
void for_cases(std::uint64_t first, int count, Check&& check) {
    for (std::uint64_t seed = first; count > 0; ++seed) {
        const LawCase one = drawn_case(seed);
        const DeviceDescription device = find_description(one.device);
        const auto model = model_of(device);
        const NetworkPrediction found = predicted(one, *model);
        if (found.refused() == 0) {
            SCOPED_TRACE(one.text());
            check(one, device, *model, found);
            --count;
        }
    }
}

std::vector<std::string_view> numbers_of(const DeviceDescription& device) {
    std::vector<std::string_view> keys;
    for (const DeviceField& field : device_fields()) {
        if (number_of(device, field)) {
            keys.push_back(field.key);
        }
    }
    return keys;
}

// A copy of the description with its own name, as if read from an edited file.
DeviceDescription edited_copy(const DeviceDescription& device, const std::string& change_of) {
    DeviceDescription copy = device;
    copy.name = "edited";
    change(copy, change_of);
    follow(device, copy);
    return copy;
}

TEST(Laws, ADeviceWithTwiceAsMuchIsNeverSlowerAndAFileOfItIsTheSame) {
    for_cases(1, 300,
              [](const LawCase& one, const DeviceDescription& device, const DeviceModel&,
                 const NetworkPrediction& before) {
                  Draws draws(one.seed);
                  for (int drawn = 0; drawn < 3; ++drawn) {
                      const std::string doubled =
                          fmt::format("{}=2x", one_of(numbers_of(device), draws));
                      SCOPED_TRACE("--set " + doubled);
                      const Seconds set = predicted(one, *model_of(device, {doubled})).time();
                      const Seconds of_file =
                          predicted(one, *model_of(edited_copy(device, doubled))).time();
                      EXPECT_LE(set / before.time(), slower_at_most);
                      EXPECT_NEAR(of_file / set, 1, 1e-9);
                  }
              });
}

TEST(Laws, ALargerBatchAndAWiderLayerAreNeverFaster) {
    for_cases(10'000, 400,
              [](const LawCase& one, const DeviceDescription&, const DeviceModel& model,
                 const NetworkPrediction& before) {
                  Draws draws(one.seed);
                  for (const std::int64_t more : {std::int64_t{1}, between(1, one.batch, draws)}) {
                      LawCase larger = one;
                      larger.batch += more;
                      EXPECT_GE(predicted(larger, model).time() / before.time(), faster_at_most)
                          << larger.text();
                  }
                  // (Rows of whole loads are faster than narrower ones that are not.)
                  const std::int64_t load = one.numerics.dtype == DataType::f32 ? 1 : 8;
                  const LawCase wider = one.widened(load * between(1, 8, draws));
                  EXPECT_GE(predicted(wider, model).time() / before.time(), faster_at_most)
                      << wider.text();
              });
}

TEST(Laws, SixteenBitsAreNotSlowerThan32WhereMatrixUnitsComputeThem) {
    int compared = 0;
    for_cases(20'000, 200,
              [&](const LawCase& one, const DeviceDescription& device, const DeviceModel& model,
                  const NetworkPrediction& before) {
                  LawCase narrow = one;
                  narrow.numerics.dtype = device.f16_peak ? DataType::f16 : DataType::bf16;
                  if (one.numerics.dtype != DataType::f32 || device.kind != DeviceKind::gpu ||
                      !has_matrix_units(device, Arithmetic::f16)) {
                      return;
                  }
                  EXPECT_LE(predicted(narrow, model).time() / before.time(), slower_at_most);
                  ++compared;
              });
    EXPECT_GT(compared, 20);
}

TEST(Laws, PartsAddUp) {
    for_cases(30'000, 100,
              [](const LawCase&, const DeviceDescription&, const DeviceModel&,
                 const NetworkPrediction& found) {
                  Seconds steps = found.beyond;
                  for (const PredictedStep& step : found.steps) {
                      for (const KernelPrediction& kernel : step.kernels) {
                          Seconds all, longest;
                          for (const Seconds term : kernel.terms.values) {
                              all += term;
                              longest = std::max(longest, term);
                          }
                          steps += kernel.time;
                          EXPECT_GE(kernel.time / longest, 1 - 1e-9) << kernel.name;
                          EXPECT_LE(kernel.time / all, 1 + 1e-9) << kernel.name;
                      }
                  }
                  EXPECT_NEAR(steps / found.time(), 1, 1e-9);
              });
}

}  // namespace

}  // namespace strata::testing

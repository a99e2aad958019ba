// SPDX-License-Identifier: MIT
#include "device/device.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

const Device described{
    .name = "tiny",
    .model = "A \"quoted\" model \\ v2",
    .threads = 2,
    .compute = {{.dtype = "f32", .peak = {{3.7612345678901e11}, "measured 2026-11-21"}}},
    .memory = {{.name = "L1", .capacity = Bytes{98304}, .bandwidth = {{8e11}, "measured"}},
               {.name = "DRAM", .capacity = {}, .bandwidth = {{2.5e10}, "data sheet"}}}};

std::string refusal_of(std::string_view toml) {
    return error_of([&] { parse_device(toml, "my.toml"); });
}

const std::string head = "name = 'n'\nmodel = 'm'\nthreads = 1\n";

TEST(Toml, ADeviceComesBackAsItWasWritten) {
    const Device back = parse_device(to_toml(described), "tiny.toml");
    EXPECT_EQ(back.name, described.name);
    EXPECT_EQ(back.model, described.model);
    EXPECT_EQ(back.threads, 2);
    EXPECT_EQ(peak_of(back, "f32"), peak_of(described, "f32"));
    ASSERT_EQ(back.memory.size(), 2u);
    EXPECT_EQ(back.memory[0].capacity, described.memory[0].capacity);
    EXPECT_EQ(back.memory[1].capacity, std::nullopt);
    EXPECT_EQ(back.memory[1].bandwidth.source, "data sheet");
    EXPECT_EQ(to_toml(back), to_toml(described));
}

TEST(Toml, ALaunchTimeIsOptionalAndComesBack) {
    Device device = described;
    EXPECT_FALSE(parse_device(to_toml(device), "").launch.has_value());
    device.launch = Fact<Seconds>{{2.5e-6}, "measured"};
    const Device back = parse_device(to_toml(device), "");
    ASSERT_TRUE(back.launch.has_value());
    EXPECT_EQ(back.launch->value, Seconds{2.5e-6});
    EXPECT_EQ(refusal_of(head + "[launch]\nseconds = 1e-6\n"),
              "my.toml: launch: source: missing; give it");
    EXPECT_EQ(refusal_of(head + "launch = 1\n"), "my.toml: launch: give it as a table, { ... }");
}

TEST(Toml, TheFileIsReadable) {
    EXPECT_EQ(to_toml({.name = "n",
                       .model = "m",
                       .threads = 1,
                       .compute = {{.dtype = "f32", .peak = {{1.5e9}, "why"}}},
                       .memory = {}}),
              "name = \"n\"\nmodel = \"m\"\nthreads = 1\n\n"
              "[[compute]]\ndtype = \"f32\"\nflops_per_second = 1500000000\nsource = \"why\"\n");
}

TEST(Toml, ANumberWithoutASourceIsRefused) {
    EXPECT_EQ(refusal_of(head + "[[compute]]\ndtype = 'f32'\nflops_per_second = 1e9\n"),
              "my.toml: compute[0]: source: missing; give it");
    EXPECT_EQ(refusal_of(head + "[[memory]]\nname = 'L1'\nbytes_per_second = 1\nsource = ''\n"),
              "my.toml: memory[0]: source: give a text that is not empty");
}

TEST(Toml, NonsenseNumbersAreRefused) {
    const std::string peak = "[[compute]]\ndtype = 'f32'\nsource = 's'\nflops_per_second = ";
    for (const char* number : {"0", "-1"}) {
        EXPECT_EQ(refusal_of(head + peak + number),
                  "my.toml: compute[0]: flops_per_second: give a positive number");
    }
    for (const char* number : {"nan", "inf", "'much'", "[1]"}) {
        EXPECT_EQ(refusal_of(head + peak + number),
                  "my.toml: compute[0]: flops_per_second: give it as a number");
    }
    EXPECT_NE(refusal_of("name = 'n'\nmodel = 'm'\nthreads = 1.5\n").find("threads"),
              std::string::npos);
    EXPECT_NE(refusal_of("name = 'n'\nmodel = 'm'\nthreads = 99999999999\n").find("threads"),
              std::string::npos);
}

TEST(Toml, UnknownAndRepeatedKeysAreRefused) {
    EXPECT_EQ(refusal_of(head + "colour = 'red'\n"),
              "my.toml: colour: unknown key; remove or correct it");
    const std::string level = "[[memory]]\nname = 'L1'\nbytes_per_second = 1\nsource = 's'\n";
    EXPECT_EQ(refusal_of(head + level + level), "my.toml: L1: is defined twice; remove one");
}

TEST(Toml, BrokenTomlNamesThePlace) {
    const auto message = refusal_of("name = 'n'\nmodel = \n");
    EXPECT_EQ(message.find("my.toml:2:"), 0u) << message;
    EXPECT_NE(refusal_of("compute = 1\n" + head).find("compute: give it as a list of tables"),
              std::string::npos);
    EXPECT_NE(refusal_of("compute = [1]\n" + head).find("compute: give it as a list of tables"),
              std::string::npos);
    EXPECT_NE(refusal_of(std::string(100000, '[')), "no error");
}

}  // namespace
}  // namespace strata

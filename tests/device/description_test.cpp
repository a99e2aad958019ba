// SPDX-License-Identifier: MIT
#include "device/description.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace strata::testing {

namespace {

constexpr std::string_view small_device = R"(
name = "small"
model = "A Small One"
architecture = "volta"
kind = "gpu"
processors = [2, "sheet"]
lanes = [64, "sheet"]
boost_clock = ["1 GHz", "a book"]
l2 = ["1 MiB", "sheet"]
dram_bandwidth = ["100 GB/s", "sheet"]
[sources]
sheet = "its data sheet"
)";

// The error from parsing a changed description.
std::string refusal_of(std::string_view line, std::string_view replaced) {
    std::string text(small_device);
    text.replace(text.find(line), line.size(), replaced);
    try {
        parse_description(text, "small.toml");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Description, ANumberHasItsUnitAndItsSource) {
    const DeviceDescription device = parse_description(small_device, "small.toml");
    EXPECT_EQ(device.kind, DeviceKind::gpu);
    EXPECT_EQ(device.processors->value.value, 2);
    EXPECT_EQ(device.processors->source, "its data sheet");
    EXPECT_EQ(device.boost_clock->value.value, 1e9);
    EXPECT_EQ(device.boost_clock->source, "a book");
    EXPECT_EQ(device.l2->value.value, 1048576);
    EXPECT_FALSE(device.memory);
    EXPECT_EQ(derived_f32_peak(device, device.boost_clock)->value, 256e9);
    EXPECT_FALSE(derived_f32_peak(device, device.base_clock));
}

TEST(Description, AnImpossibleDeviceIsRefusedInOneSentence) {
    EXPECT_EQ(refusal_of("[2, \"sheet\"]", "[0, \"sheet\"]"),
              "small.toml: processors: give a positive number");
    EXPECT_EQ(refusal_of("[2, \"sheet\"]", "[2.5, \"sheet\"]"),
              "small.toml: processors: give a whole number of at least 1");
    EXPECT_EQ(refusal_of("\"1 MiB\"", "\"64 B\""),
              "small.toml: l2: is smaller than a line of 128 bytes; correct it");
    EXPECT_EQ(refusal_of("\"1 MiB\"", "\"1 GHz\""), "small.toml: l2: give a positive number of B");
    EXPECT_EQ(refusal_of("\"100 GB/s\", \"sheet\"", "\"100 GB/s\""),
              "small.toml: dram_bandwidth: write it as [value, source]");
    EXPECT_EQ(refusal_of("\"a book\"", "\"\""),
              "small.toml: boost_clock: write it as [value, source], the source as a text");
    EXPECT_EQ(refusal_of("lanes", "lane"), "small.toml: lane: unknown key; remove or correct it");
    EXPECT_EQ(refusal_of("processors = [2, \"sheet\"]", ""),
              "small.toml: processors: is missing; give it");
    EXPECT_EQ(refusal_of("\"gpu\"", "\"npu\""), "small.toml: kind: choose gpu, cpu or tpu");
}

TEST(Description, EveryBuiltInOneIsReadableAndConsistent) {
    std::set<std::string> models;
    ASSERT_GE(device_files().size(), 20U);
    for (const EmbeddedFile& file : device_files()) {
        const DeviceDescription device = find_description(file.name);
        EXPECT_EQ(device.name, file.name);
        EXPECT_TRUE(models.insert(device.model).second) << device.model;
        EXPECT_EQ(contradictions(device), std::vector<std::string>()) << file.name;
        EXPECT_TRUE(derived_f32_peak(device, device.boost_clock) || device.bf16_peak) << file.name;
        for (const DeviceField& field : device_fields()) {
            if (const auto number = number_of(device, field)) {
                EXPECT_GT(number->source.size(), 10U) << file.name << " " << field.key;
            }
        }
    }
}

// Dong et al. (2018) print 208 GB/s for the K40, whose bus of 384 bits gives 288.
TEST(Description, APublishedBandwidthThatTheBusContradictsIsFound) {
    DeviceDescription k40 = find_description("k40");
    k40.dram_bandwidth = {Bandwidth{208e9}, "Dong et al. 2018, table 2"};
    EXPECT_EQ(contradictions(k40),
              std::vector<std::string>{
                  "dram_bandwidth is stated as 208 GB/s, but 384 bits give 288 GB/s"});
    k40.f32_peak = {FlopRate{5.5e12}, "made up"};
    EXPECT_EQ(contradictions(k40).size(), 2U);
}

TEST(Description, APeakOfMatrixUnitsMustFollowFromThem) {
    DeviceDescription tpu = find_description("tpu-v2");
    EXPECT_TRUE(contradictions(tpu).empty());
    tpu.bf16_peak = {FlopRate{180e12}, "that of four chips"};
    EXPECT_EQ(contradictions(tpu).size(), 1U);
}

TEST(Description, ANumberCanBeSetOrMultiplied) {
    DeviceDescription device = parse_description(small_device, "small.toml");
    change(device, "dram_bandwidth=2x");
    EXPECT_EQ(device.dram_bandwidth->value.value, 200e9);
    EXPECT_EQ(device.dram_bandwidth->source, "assumed: 2x");
    change(device, "l2 = 128MiB");
    EXPECT_EQ(device.l2->value.value, 128.0 * 1024 * 1024);
    change(device, "memory=8GB");
    EXPECT_EQ(device.memory->value.value, 8e9);
    for (const char* wrong : {"l2", "l3=2x", "l2=3 GHz", "speed=2x", "processors=-1"}) {
        EXPECT_THROW(change(device, wrong), Error) << wrong;
    }
}

TEST(Description, CaseDoesNotMatterUnlessADataSetNamesAnotherDevice) {
    EXPECT_EQ(description_called("H100")->name, "h100");
    EXPECT_EQ(description_called("A100-80")->name, "a100-80");
    EXPECT_EQ(description_called("V100")->name, "v100-pcie");
    EXPECT_EQ(description_called("v100")->name, "v100");
    EXPECT_EQ(description_called("NVIDIA H100 80GB HBM3")->name, "h100");  // as its driver says
    EXPECT_EQ(description_called("NVIDIA L4")->name, "l4");                // its model
    EXPECT_FALSE(description_called("H1000"));
}

TEST(Description, AnUnknownNameGetsTheNearestOne) {
    try {
        find_description("gtx-1081");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean gtx-1080?"), std::string::npos);
    }
    EXPECT_THROW(find_description("./absent.toml"), Error);
}

TEST(Description, APrefixOfSeveralNamesGetsAllOfThem) {
    try {
        find_description("a100");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean a100-40 or a100-80?"),
                  std::string::npos)
            << error.what();
    }
}

// A described device with some numbers changed and the dependent ones updated.
DeviceDescription changed(const char* name, std::initializer_list<std::string_view> changes) {
    const DeviceDescription before = find_description(name);
    DeviceDescription device = before;
    for (const std::string_view one : changes) {
        change(device, one);
    }
    follow(before, device);
    return device;
}

TEST(Description, PeaksFollowProcessorsLanesAndClock) {
    const DeviceDescription t4 = find_description("t4");
    const DeviceDescription larger = changed("t4", {"processors=2x", "boost_clock=3x"});
    EXPECT_DOUBLE_EQ(larger.f16_peak->value / t4.f16_peak->value, 6);
    EXPECT_DOUBLE_EQ(larger.f32_peak->value / t4.f32_peak->value, 6);
    EXPECT_EQ(larger.f16_peak->source,
              "derived: 6 times the stated value, as processors x matrix lanes x clock is");
    EXPECT_TRUE(contradictions(larger).empty());
    const DeviceDescription wider = changed("t4", {"lanes=2x"});
    EXPECT_DOUBLE_EQ(wider.f32_peak->value / t4.f32_peak->value, 2);
    EXPECT_EQ(wider.f16_peak->value, t4.f16_peak->value);  // of matrix units
    const DeviceDescription p100 = find_description("p100");
    EXPECT_DOUBLE_EQ(changed("p100", {"lanes=2x"}).f16_peak->value / p100.f16_peak->value, 2);
    EXPECT_EQ(changed("t4", {"base_clock=2x"}).f16_peak->value, t4.f16_peak->value);
}

TEST(Description, ANumberChangedItselfDoesNotFollow) {
    const DeviceDescription changed_both = changed("t4", {"processors=2x", "f16_peak=70TFLOP/s"});
    EXPECT_EQ(changed_both.f16_peak->value.value, 70e12);
    EXPECT_EQ(changed_both.f16_peak->source, "assumed: 70TFLOP/s");
}

TEST(Description, BandwidthsFollowBusAndCores) {
    const double bus = changed("t4", {"bus_width=2x"}).dram_bandwidth->value.value;
    EXPECT_DOUBLE_EQ(bus / find_description("t4").dram_bandwidth->value.value, 2);
    const DeviceDescription tpu = find_description("tpu-v2");
    const DeviceDescription larger = changed("tpu-v2", {"processors=2x"});
    EXPECT_DOUBLE_EQ(larger.dram_bandwidth->value / tpu.dram_bandwidth->value, 2);
    EXPECT_DOUBLE_EQ(larger.bf16_peak->value / tpu.bf16_peak->value, 2);
}

TEST(Description, AFileIsACopyOfTheDeviceWithItsNameOrElseItsModel) {
    DeviceDescription copy = find_description("t4");
    EXPECT_EQ(origin_of(copy)->name, "t4");
    copy.name = "mine";
    EXPECT_EQ(origin_of(copy)->name, "t4");
    copy.architecture = "volta";
    EXPECT_FALSE(origin_of(copy));
    EXPECT_FALSE(origin_of(parse_description(small_device, "small.toml")));
}

}  // namespace

}  // namespace strata::testing

// SPDX-License-Identifier: MIT
#include "view/device_times.h"

#include "predict/device_model.h"
#include "report/data.h"
#include "report/json.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

DeviceTime predicted_on(const std::string& device) {
    const Graph graph = testing::zoo_graph("alexnet", 16);
    const auto model = model_of(find_description(device), {});
    Run run;
    run.settings.network = "alexnet";
    run.settings.batch = 16;
    return device_time(run, graph, predict_network(graph, run.settings.execution, *model), *model);
}

std::string first_sentence(const Document& document) {
    const auto* paragraph = std::get_if<Paragraph>(&document.blocks.front());
    return paragraph == nullptr ? "" : paragraph->text;
}

// A prediction of so many milliseconds that is off by a tenth.
DeviceTime taking(const std::string& device, double milliseconds) {
    DeviceTime one;
    one.settings.network = "net";
    one.settings.batch = 1;
    one.device = device;
    one.time = Seconds{1e-3 * milliseconds};
    one.error = 0.1;
    return one;
}

TEST(DeviceTimes, OperatorsAddUpToTheStepsAndNameWhatBinds) {
    const DeviceTime found = predicted_on("v100");
    ASSERT_FALSE(found.operators.empty());
    EXPECT_EQ(found.operators.front().operation, "convolution");
    EXPECT_EQ(found.operators.front().binding, Term::arithmetic);
    Seconds sum;
    for (const PredictedOperator& part : found.operators) {
        EXPECT_GT(part.binding_share, 0) << part.operation;
        EXPECT_LE(part.binding_share, 1) << part.operation;
        sum += part.time;
    }
    EXPECT_LE(sum, *found.time * 1.0001);
    EXPECT_GT(sum, *found.time * 0.9);
}

TEST(DeviceTimes, MoneyAndEnergyFollowFromThePriceAndThePower) {
    const DeviceTime found = predicted_on("v100");
    const DeviceDescription device = find_description("v100");
    const double seconds = found.time->value / 16 * 1e6;
    EXPECT_DOUBLE_EQ(*found.dollars, device.price->value.value * seconds / 3600);
    EXPECT_DOUBLE_EQ(*found.joules, device.power->value.value * seconds);
}

TEST(DeviceTimes, SaysWhichIsFastestIfTheDifferenceIsBeyondTheError) {
    const std::vector<DeviceTime> times = {taking("slow", 20), taking("quick", 10)};
    EXPECT_EQ(first_sentence(device_times_document(times)),
              "net, batch 1, training, f32: quick is predicted to be fastest with "
              "10 ms, 2 times as fast as slow.");
}

TEST(DeviceTimes, SaysThatPredictionsCannotTellDevicesApart) {
    const std::vector<DeviceTime> times = {taking("a", 10.5), taking("b", 10)};
    EXPECT_EQ(first_sentence(device_times_document(times)),
              "net, batch 1, training, f32: b and a are predicted to take 10 ms and 10.5 ms, "
              "too close for such predictions to tell apart.");
    std::vector<DeviceTime> unknown = {taking("a", 18), taking("b", 10)};
    unknown.front().error.reset();  // an error that nobody states may be any
    EXPECT_NE(first_sentence(device_times_document(unknown)).find("too close"), std::string::npos);
}

TEST(DeviceTimes, NamesTheCheapestOfThoseWithAPrice) {
    std::vector<DeviceTime> times = {taking("slow", 20), taking("quick", 10), taking("other", 40)};
    times[0].dollars = 0.5;
    EXPECT_EQ(first_sentence(device_times_document(times)).find("USD"), std::string::npos);
    times[1].dollars = 0.75;
    EXPECT_NE(first_sentence(device_times_document(times))
                  .find("slow costs least of the devices with a known price, 0.5 USD for a "
                        "million examples."),
              std::string::npos);
}

TEST(DeviceTimes, NamesNoCheapestIfPricesAreWithinTheError) {
    std::vector<DeviceTime> times = {taking("slow", 20), taking("quick", 10)};
    times[0].dollars = 0.5;
    times[1].dollars = 0.52;
    EXPECT_EQ(first_sentence(device_times_document(times)).find("USD"), std::string::npos);
}

TEST(DeviceTimes, ADeviceWithTooLittleMemoryIsNeitherFastestNorCheapest) {
    std::vector<DeviceTime> times = {taking("slow", 20), taking("quick", 10), taking("small", 5)};
    times[2].fits = false;
    EXPECT_EQ(first_sentence(device_times_document(times)),
              "net, batch 1, training, f32: quick is predicted to be fastest with 10 ms, 2 times "
              "as fast as slow. Not compared: small (too little memory).");
}

TEST(DeviceTimes, OneDeviceOrANetworkWithoutATimeHasNoSentence) {
    std::vector<DeviceTime> times = {taking("a", 10), taking("b", 20)};
    times.back().time.reset();
    times.back().reason = "opaque layers have no model";
    EXPECT_EQ(first_sentence(device_times_document(times)), "");
}

TEST(DeviceTimes, DataHasARowForEachDeviceAndForEachOperatorThere) {
    const std::vector<DeviceTime> times = {predicted_on("v100"), predicted_on("h100")};
    const auto json =
        nlohmann::json::parse(render_json(data_of(device_times_document(times)), "0"));
    EXPECT_EQ(json["devices"].size(), 2U);
    EXPECT_EQ(json["devices"][0]["device"], "v100");
    EXPECT_TRUE(json["devices"][1]["dollars_per_million"].is_null());  // no price is stated
    EXPECT_EQ(json["operators"].size(), times[0].operators.size() + times[1].operators.size());
    EXPECT_EQ(json["operators"][0]["term"], "arithmetic");
}

}  // namespace
}  // namespace strata

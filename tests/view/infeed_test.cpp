// SPDX-License-Identifier: MIT
#include "view/infeed.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

Samples around(double time) {
    Samples samples;
    for (const double factor : {0.98, 0.99, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.01, 1.02}) {
        samples.values.push_back(Seconds{factor * time});
    }
    return samples;
}

// 4 images a step of 10 ms; making them takes 40 ms of one processor.
strata::Run fed_run() {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.infeed = InfeedResult{.source = "synthetic",
                              .images = 64,
                              .encoded = Bytes{64 * 25e3},
                              .pixels = 64 * 65536.0,
                              .threads = 1,
                              .times = {.step = around(10e-3),
                                        .serial = around(51e-3),
                                        .decode = around(30e-3),
                                        .augment = around(10e-3),
                                        .produce = around(40e-3),
                                        .copy = around(1e-3),
                                        .overlapped = around(40e-3),
                                        .waiting = around(29e-3),
                                        .copying = around(1e-3)}};
    return run;
}

TEST(InfeedView, ShowsWhereAnOverlappedStepGoes) {
    testing::expect_golden(
        "view/infeed-alexnet-4.txt",
        render_terminal({"", infeed_blocks(fed_run())}, {.width = 100, .unicode = true}));
    testing::expect_golden("view/infeed-alexnet-4.json", infeed_json(fed_run()).dump(2) + "\n");
}

TEST(InfeedView, ARunThatWasNotFedHasNoInputSection) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_TRUE(infeed_blocks(run).empty());
    EXPECT_TRUE(infeed_json(run).is_null());
}

}  // namespace
}  // namespace strata

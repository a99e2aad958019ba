// SPDX-License-Identifier: MIT
#include "run/files.h"

#include "graph/builder.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Files, ATensorsNameBecomesAFileNameThatCannotLeaveTheFolder) {
    const auto file_name = [](const std::string& tensor) {
        std::set<std::string> taken;
        return file_name_of(tensor, taken);
    };
    EXPECT_EQ(file_name("conv1/relu:0"), "conv1_relu_0");
    EXPECT_EQ(file_name("../../etc/passwd"), ".._.._etc_passwd");
    EXPECT_EQ(file_name("A-z_0.9"), "A-z_0.9");
    EXPECT_EQ(file_name("caf\xC3\xA9"), "caf__");
    EXPECT_EQ(file_name(std::string(300, 'x')), std::string(200, 'x'));
}

TEST(Files, TensorsWithCollidingFileNamesGetSeparateFiles) {
    std::set<std::string> taken;
    EXPECT_EQ(file_name_of("a/b", taken), "a_b");
    EXPECT_EQ(file_name_of("a_b", taken), "a_b.2");
    EXPECT_EQ(file_name_of("a_b.2", taken), "a_b.2.2");
    EXPECT_EQ(file_name_of("a b", taken), "a_b.3");
}

// x -> a -> b and x -> c.
Graph fork() {
    GraphBuilder builder("fork");
    const TensorId x = builder.input("x", {{2, 3}});
    builder.add("b", Activation{}, {builder.add("a", Activation{}, {x})});
    builder.add("c", Activation{}, {x});
    return builder.finish();
}

TEST(Files, ResultsThatDependOnARefusedLayerAreNotWritten) {
    const Graph graph = fork();
    testing::ScriptedExecutable executable(
        make_reference_backend()->prepare(graph, {.numerics = {.mode = Mode::inference}}));
    executable.refuse(0, "not here");
    executable.run();
    const TemporaryDirectory folder;
    write_dump(graph, {.directory = folder.path(), .layers = "*"}, executable);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.npy"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "b.npy"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "c.npy"));
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: MIT
#include "simulate/trace.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <sstream>

namespace strata::testing {

namespace {

SimulatedTrace simulated(const std::string& text, CacheEngine engine = CacheEngine::exact,
                         const std::string& cache = "size=1KiB,line=64,ways=16") {
    std::istringstream input(text);
    TraceReader reader(input, "t.trace");
    return simulate_trace(reader, parse_trace_cache(cache), engine);
}

std::string reason(const std::string& text) {
    try {
        simulated(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Trace, AccessesAreCountedByTheLinesThatTheyTouch) {
    const auto found = simulated(
        "# a comment\n"
        "r 0 4\n"
        "\n"
        "r 0x3c 8\n"  // the first line and the second
        "  w 64 1\r\n"
        "r 18446744073709551000 8");
    EXPECT_EQ(found.accesses, 4U);
    EXPECT_EQ(found.lines.reads, 4);
    EXPECT_EQ(found.lines.read_hits, 1);
    EXPECT_EQ(found.lines.writes, 1);
    EXPECT_EQ(found.lines.write_hits, 1);
    EXPECT_EQ(found.lines.dirtied, 1);
    EXPECT_EQ(found.kinds.compulsory, 3);
    EXPECT_EQ(found.kinds.misses(), found.lines.misses());
}

// 17 lines in turn in a cache of 16: LRU misses every time, because of the capacity.
TEST(Trace, ALoopThatIsOneLineTooLongAlwaysMisses) {
    std::string text;
    for (int i = 0; i < 170; ++i) {
        text += "r " + std::to_string(i % 17 * 64) + " 4\n";
    }
    const auto found = simulated(text);
    EXPECT_EQ(found.lines.hits(), 0);
    EXPECT_EQ(found.kinds.compulsory, 17);
    EXPECT_EQ(found.kinds.capacity, 153);
}

TEST(Trace, BothEnginesAgree) {
    std::string text;
    std::uint64_t state = 1;
    for (int i = 0; i < 80000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t line =
            (state >> 40) % 4 == 0 ? (state >> 33) % 12000 : (state >> 33) % 1200;
        text += (i % 5 == 0 ? "w " : "r ") + std::to_string(line * 64) + " 4\n";
    }
    const std::string cache = "size=128KiB,line=64,ways=8";
    const auto exact = simulated(text, CacheEngine::exact, cache);
    const auto found = simulated(text, CacheEngine::distances, cache);
    EXPECT_NEAR(found.lines.hits() / found.lines.accesses(),
                exact.lines.hits() / exact.lines.accesses(), 0.005);
    // (The chance that a line stays dirty through several accesses is not exactly a product.)
    EXPECT_NEAR(found.lines.dirtied / found.lines.writes, exact.lines.dirtied / exact.lines.writes,
                0.05);
    EXPECT_GT(exact.kinds.conflict, 0);
}

TEST(Trace, AnInvalidAccessIsRefusedByItsLine) {
    EXPECT_EQ(
        reason("r 0 4\nx 0 4\n"),
        "t.trace, line 2: 'x' is neither r nor w; a line is `r` or `w`, an address and bytes");
    for (const char* line :
         {"r", "r 0", "r -1 4", "r 0x 4", "r 1g 4", "r 99999999999999999999 4", "r 0 0",
          "r 0 1048577", "r 0 4 5", "r 18446744073709551615 2", "read 0 4"}) {
        EXPECT_NE(reason(line).find("t.trace, line 1: "), std::string::npos) << line;
    }
    EXPECT_NE(reason("r 0 " + std::string(300, ' ') + "4").find("longer than"), std::string::npos);
}

TEST(Trace, ImpossibleCachesAreRefused) {
    for (const char* cache :
         {"", "size=1KiB,line=48", "size=1KiB,ways=0", "size=1KiB,ways=17", "line=64",
          "size=64,line=64", "size=1TB", "size=-1", "colour=red", "size=1KiB,line=8192"}) {
        EXPECT_THROW(parse_trace_cache(cache), Error) << cache;
    }
    const TraceCache cache = parse_trace_cache("size=48KiB,line=128,ways=6");
    EXPECT_EQ(cache.shape().lines, 384U);
    EXPECT_EQ(cache.shape().sets(), 64U);
}

}  // namespace

}  // namespace strata::testing

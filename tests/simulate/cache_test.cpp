// SPDX-License-Identifier: MIT
#include "simulate/cache.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <random>
#include <set>

namespace strata::testing {

namespace {

// The instruction sets of this processor.
std::vector<VectorWidth> widths() {
    std::vector<VectorWidth> found;
    for (const VectorWidth width :
         {VectorWidth::portable, VectorWidth::avx2, VectorWidth::avx512}) {
        if (width <= widest_vectors()) {
            found.push_back(width);
        }
    }
    return found;
}

// Accesses near lines often, far ones rarely.
std::vector<LineNumber> some_lines(std::size_t count, LineNumber different) {
    std::mt19937 random(7);
    std::vector<LineNumber> lines(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto number = static_cast<LineNumber>(random());
        lines[i] = number % (number % 3 == 0 ? different : different / 8);
    }
    return lines;
}

// The misses of a fully associative LRU cache, line by line.
std::vector<LineNumber> missed_by_definition(const std::vector<LineNumber>& lines,
                                             std::size_t capacity) {
    std::list<LineNumber> stack;
    std::vector<LineNumber> missed;
    for (const LineNumber line : lines) {
        const auto at = std::ranges::find(stack, line);
        if (at != stack.end()) {
            stack.erase(at);
        } else {
            missed.push_back(line);
        }
        stack.push_front(line);
        if (stack.size() > capacity) {
            stack.pop_back();
        }
    }
    return missed;
}

TEST(Cache, OneSetMatchesTheDefinitionOfLru) {
    const auto lines = some_lines(3000, 40);
    for (const VectorWidth width : widths()) {
        for (const int ways : {1, 2, 3, 7, 8, 9, 15, 16}) {
            SetAssociativeCache cache({static_cast<std::size_t>(ways), ways}, width);
            std::vector<LineNumber> missed;
            cache.read(lines, &missed);
            EXPECT_EQ(missed, missed_by_definition(lines, static_cast<std::size_t>(ways)))
                << ways << " ways, vectors " << static_cast<int>(width);
            EXPECT_EQ(cache.counts().misses(), missed.size());
            EXPECT_EQ(cache.counts().accesses(), lines.size());
        }
    }
}

TEST(Cache, EveryVectorWidthMissesTheSame) {
    const auto lines = some_lines(20000, 3000);
    for (const int ways : {4, 16}) {
        SetAssociativeCache portable({600, ways}, VectorWidth::portable);
        std::vector<LineNumber> expected;
        portable.read(lines, &expected);
        EXPECT_GT(expected.size(), 3000U);
        for (const VectorWidth width : widths()) {
            SetAssociativeCache cache({600, ways}, width);
            std::vector<LineNumber> missed;
            cache.read(lines, &missed);
            EXPECT_EQ(missed, expected) << static_cast<int>(width);
        }
    }
}

TEST(Cache, MoreWaysPerSetNeverMissMore) {
    const auto lines = some_lines(20000, 3000);
    std::uint64_t before = lines.size();
    for (int ways = 1; ways <= 16; ++ways) {
        SetAssociativeCache cache({static_cast<std::size_t>(50 * ways), ways});
        cache.read(lines);
        EXPECT_LE(cache.counts().misses(), before) << ways;
        before = cache.counts().misses();
    }
}

TEST(Cache, AStrideThatIsAPowerOfTwoUsesAllSets) {
    SetAssociativeCache cache({1024, 16});
    std::vector<LineNumber> lines(500);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i] = static_cast<LineNumber>(i * 4096);
    }
    cache.read(lines);
    EXPECT_EQ(cache.counts().hits(), 0U);
    cache.read(lines);
    EXPECT_GT(cache.counts().hits(), lines.size() * 95 / 100);
}

TEST(Cache, ALargeOneMissesEachLineOnce) {
    const auto lines = some_lines(20000, 3000);
    SetAssociativeCache cache({65536, 16});
    cache.read(lines);
    EXPECT_EQ(cache.counts().misses(), std::set(lines.begin(), lines.end()).size());
}

TEST(Cache, AReadFetchesTheSectorsThatItLacks) {
    for (const VectorWidth width : widths()) {
        SetAssociativeCache cache({2, 2}, width);
        std::vector<SectorAccess> below;
        cache.access({{{.line = 5, .sectors = 0b0011},
                       {.line = 5, .sectors = 0b0001},
                       {.line = 5, .sectors = 0b0110}}},
                     &below);
        EXPECT_EQ(below, (std::vector<SectorAccess>{{5, 0b0011, AccessKind::read},
                                                    {5, 0b0100, AccessKind::read}}));
        EXPECT_EQ(cache.counts().read_hits, 1U);
        EXPECT_EQ(cache.counts().sectors_read, 3U);
    }
}

TEST(Cache, AWriteAllocatesWithoutReadingAndIsWrittenWhenEvicted) {
    for (const VectorWidth width : widths()) {
        SetAssociativeCache cache({2, 2}, width);
        std::vector<SectorAccess> below;
        cache.access({{{.line = 1, .sectors = 0b0101, .kind = AccessKind::write},
                       {.line = 2},
                       {.line = 1, .sectors = 0b0100},  // hits: present
                       {.line = 3},                     // evicts 2, which is clean
                       {.line = 4}}},                   // evicts 1
                     &below);
        EXPECT_EQ(below, (std::vector<SectorAccess>{{2, 0xf, AccessKind::read},
                                                    {3, 0xf, AccessKind::read},
                                                    {1, 0b0101, AccessKind::write},
                                                    {4, 0xf, AccessKind::read}}));
        EXPECT_EQ(cache.counts().sectors_written, 2U);
        EXPECT_EQ(cache.counts().read_hits, 1U);
        cache.flush();
        EXPECT_EQ(cache.counts().sectors_written, 2U);
    }
}

TEST(Cache, DirtySectorsAreWrittenBackOnceOrStayUntilAFlush) {
    std::vector<SectorAccess> accesses;
    for (const LineNumber line : some_lines(20000, 3000)) {
        accesses.push_back({line, static_cast<std::uint8_t>(1 + line % 15),
                            line % 2 == 0 ? AccessKind::write : AccessKind::read});
    }
    std::vector<CacheCounts> of_each_width;
    for (const VectorWidth width : widths()) {
        SetAssociativeCache cache({600, 16}, width);
        std::vector<SectorAccess> below;
        cache.access(accesses, &below);
        const auto evictions = std::ranges::count(below, AccessKind::write, &SectorAccess::kind);
        EXPECT_GT(evictions, 100);
        cache.flush();
        of_each_width.push_back(cache.counts());
        EXPECT_EQ(cache.counts().hits() + cache.counts().misses(), accesses.size());
        EXPECT_EQ(cache.counts().sectors_read, of_each_width.front().sectors_read);
        EXPECT_EQ(cache.counts().sectors_written, of_each_width.front().sectors_written);
        EXPECT_EQ(cache.counts().hits(), of_each_width.front().hits());
    }
}

// Every line misses when it is first read, so the misses are all lines of the sampled sets.
TEST(Cache, ASampledCacheMissesLikeTheSameSetsOfAWholeOne) {
    constexpr std::size_t sets = 1000;  // not a power of two, and 250 would be too few
    const auto lines = some_lines(40000, 60000);
    SetAssociativeCache whole({sets * 16, 16}, VectorWidth::portable);
    std::vector<LineNumber> missed_by_whole;
    whole.read(lines, &missed_by_whole);
    for (const VectorWidth width : widths()) {
        SetAssociativeCache sampled({sets * 16, 16}, width, 2);
        EXPECT_EQ(sampled.simulated_sets(), sets / 2);
        std::vector<LineNumber> missed;
        sampled.read(lines, &missed);
        const std::set<LineNumber> kept(missed.begin(), missed.end());
        std::vector<LineNumber> expected;
        std::ranges::copy_if(missed_by_whole, std::back_inserter(expected),
                             [&](LineNumber line) { return kept.contains(line); });
        EXPECT_EQ(missed, expected) << static_cast<int>(width);
        EXPECT_EQ(sampled.counts().accesses(),
                  static_cast<std::uint64_t>(std::ranges::count_if(
                      lines, [&](LineNumber line) { return kept.contains(line); })));
        EXPECT_NEAR(static_cast<double>(sampled.counts().accesses()), 20000, 2000);
    }
}

TEST(Cache, ASampledCacheOfSectorsCountsTheSameWithEveryVectorWidth) {
    std::vector<SectorAccess> accesses;
    for (const LineNumber line : some_lines(40003, 60000)) {
        accesses.push_back({line, static_cast<std::uint8_t>(1 + line % 15),
                            line % 2 == 0 ? AccessKind::write : AccessKind::read});
    }
    const CacheShape shape{2048 * 16, 16};
    SetAssociativeCache whole(shape);
    whole.access(accesses);
    std::vector<SectorAccess> expected;
    for (const VectorWidth width : widths()) {
        SetAssociativeCache sampled(shape, width, 8);
        std::vector<SectorAccess> below;
        sampled.access(accesses, &below);
        expected = expected.empty() ? below : expected;
        EXPECT_EQ(below, expected) << static_cast<int>(width);
        EXPECT_GT(below.size(), 500U);
        const HitEstimate estimate = sampled.estimate();
        EXPECT_GT(estimate.error, 0);
        EXPECT_LT(estimate.error, 0.05);
        EXPECT_NEAR(estimate.rate, whole.estimate().rate, 1.5 * estimate.error);
    }
}

TEST(Cache, EnoughSetsAreSampled) {
    EXPECT_EQ(SetAssociativeCache({16 * 1024, 16}, VectorWidth::portable, 32).simulated_sets(),
              256U);
    const SetAssociativeCache small({16 * 511, 16}, VectorWidth::portable, 32);
    EXPECT_EQ(small.simulated_sets(), 511U);
    EXPECT_FALSE(small.is_sampled());
    EXPECT_EQ(small.estimate().error, 0);
    EXPECT_THROW(SetAssociativeCache({16384, 16}, VectorWidth::portable, 3), Error);
    EXPECT_THROW(SetAssociativeCache({16384, 16}, VectorWidth::portable, 0), Error);
}

TEST(Cache, ImpossibleShapesAreRefused) {
    EXPECT_THROW(SetAssociativeCache({16, 0}), Error);
    EXPECT_THROW(SetAssociativeCache({64, 17}), Error);
    EXPECT_THROW(SetAssociativeCache({8, 16}), Error);
    EXPECT_THROW(SetAssociativeCache({std::size_t{1} << 33, 16}), Error);
}

}  // namespace

}  // namespace strata::testing

// SPDX-License-Identifier: MIT
#include "scale/shared_training.h"

#include "backend/reference/reference.h"
#include "networks/network.h"
#include "tests/support/local_communicator.h"

#include <gtest/gtest.h>

#include <thread>

namespace strata::testing {

namespace {

constexpr std::int64_t whole_batch = 8;
constexpr int steps = 4;
// A fully connected network that ends in a loss, whose gradient is a mean over the batch.
constexpr const char* small_network = "fc:layers=3,nodes=24,inputs=16,outputs=5";

Graph graph_at(std::int64_t batch) {
    return load_network({.network = small_network, .batch = batch, .dims = {}, .variables = {}});
}

Execution kept() {
    Execution execution;
    execution.scheduling.memory = MemoryReuse::kept;
    execution.scheduling.threads = 1;
    execution.scheduling.pinned = false;
    return execution;
}

// A network that some ranks have trained.
struct Trained {
    Graph graph;
    std::unique_ptr<Backend> backend = make_reference_backend();
    std::unique_ptr<Executable> executable;
    IterationTimes last;
    Bytes sent;
};

// Each rank's network after some steps on its part of the whole batch.
std::vector<Trained> trained(TrainingPlan plan) {
    LocalRanks ranks(plan.workers);
    std::vector<Trained> all(static_cast<std::size_t>(plan.workers));
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < plan.workers; ++rank) {
        threads.emplace_back([&, rank] {
            Exchanger exchanger([&] { return ranks.open(rank); }, Seconds{20});
            Trained& own = all[static_cast<std::size_t>(rank)];
            own.graph = graph_at(whole_batch / plan.workers);
            const Execution execution = kept();
            own.executable = own.backend->prepare(own.graph, execution);
            SharedTraining training(own.graph, execution, *own.executable, plan, exchanger);
            training.take_part_of(graph_at(whole_batch));
            for (int i = 0; i < steps; ++i) {
                own.last = training.iterate();
            }
            own.sent = training.sent_bytes();
        });
    }
    threads.clear();
    return all;
}

double difference(const Trained& a, const Trained& b) {
    return parameter_difference(a.graph, *a.executable, *b.executable);
}

TEST(SharedTraining, RanksTrainAsOneWorkerOnTheWholeBatch) {
    const auto alone = trained({.workers = 1});
    for (const int workers : {2, 4}) {
        for (const auto overlap : {Overlap::off, Overlap::on}) {
            for (const double bucket : {1.0, 3000.0, 1e9}) {
                const auto together =
                    trained({.workers = workers, .overlap = overlap, .bucket = Bytes{bucket}});
                for (const Trained& rank : together) {
                    EXPECT_LT(difference(rank, alone.front()), 1e-5)
                        << workers << " " << name_of(overlap) << " " << bucket;
                }
                EXPECT_EQ(difference(together.front(), together.back()), 0);
            }
        }
    }
}

TEST(SharedTraining, TrainingChangesTheParameters) {
    const auto alone = trained({.workers = 1});
    Trained fresh;
    fresh.graph = graph_at(whole_batch);
    fresh.executable = fresh.backend->prepare(fresh.graph, kept());
    EXPECT_GT(difference(alone.front(), fresh), 1e-4);
}

TEST(SharedTraining, RanksStayEqualWhateverTheyLoseOnTheWay) {
    const auto alone = trained({.workers = 1});
    double before = 0;
    for (const auto& compression : {Compression::bf16, Compression::one_bit, Compression::top_k}) {
        const auto together = trained({.workers = 2, .compression = compression});
        EXPECT_EQ(difference(together[0], together[1]), 0) << name_of(compression);
        const double off = difference(together[0], alone.front());
        EXPECT_GT(off, before) << name_of(compression);
        before = compression == Compression::bf16 ? off : before;
    }
}

TEST(SharedTraining, EveryGradientIsInOneBucketAndSentOnce) {
    const Graph graph = graph_at(whole_batch);
    const auto together = trained({.workers = 2, .bucket = Bytes{2000}});
    EXPECT_EQ(together.front().sent.value, 4.0 * static_cast<double>(parameter_count(graph)));
    EXPECT_GT(together.front().last.buckets.size(), 1U);
    const IterationTimes& times = together.front().last;
    Seconds layers;
    for (const Seconds layer : times.by_layer) {
        layers += layer;
    }
    EXPECT_NEAR(layers.value, times.compute.value, 1e-9);
    EXPECT_LE(times.compute, times.total);
}

}  // namespace

}  // namespace strata::testing

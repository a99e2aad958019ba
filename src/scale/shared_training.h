// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/schedule.h"
#include "parallel/plan.h"
#include "scale/compression.h"
#include "scale/exchanger.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace strata {

// How ranks train together: the first so many of them, each with its part of the batch.
struct TrainingPlan {
    int workers = 1;
    Overlap overlap = Overlap::on;
    Bytes bucket{25e6};
    Compression compression = Compression::none;
    ErrorFeedback feedback = ErrorFeedback::on;

    bool operator==(const TrainingPlan&) const = default;
};

// The gradients of a bucket in one iteration, in seconds of this rank's clock.
struct BucketTimes {
    double begin = 0;  // this rank is ready for the exchange, which begins once all are
    double end = 0;
    double waited = 0;  // time that the training thread did nothing else
};

// One iteration of one rank.
struct IterationTimes {
    Seconds total;
    Seconds compute;                // steps of the network
    Seconds copying;                // gradients out of the engine's memory and back
    Seconds coding;                 // into fewer bits and back
    std::vector<Seconds> by_layer;  // of the compute
    std::vector<BucketTimes> buckets;
};

// A rank's network, trained synchronously with the other ranks': each computes the gradients of its
// part of the batch, exchanges them in buckets, in backward order, and updates with their mean. So
// all keep equal parameters. With overlap, a bucket is exchanged while the backward pass goes on;
// updates follow it in either case.
class SharedTraining {
public:
    // Requires: training with kept memory, and a rank below plan.workers. They outlive it.
    SharedTraining(const Graph& graph, const Execution& execution, Executable& executable,
                   const TrainingPlan& plan, Exchanger& exchanger);
    ~SharedTraining();

    // Gives the network this rank's part of the inputs of the whole batch, whose graph is given.
    void take_part_of(const Graph& whole);

    // Throws Error that names a rank that does not come.
    IterationTimes iterate();

    // The layers of each bucket, and the bytes of each layer's gradients.
    struct BucketLayer {
        LayerId layer = 0;
        Bytes bytes;
    };
    std::vector<std::vector<BucketLayer>> bucket_layers() const;

    // Bytes that this rank sends in an iteration, without the scales of its codes.
    Bytes sent_bytes() const;

private:
    struct Bucket;

    void send(std::size_t bucket, IterationTimes& times);
    void receive(std::size_t bucket, IterationTimes& times);
    void run_step(std::size_t step, IterationTimes& times);

    const Graph& graph_;
    const Execution& execution_;
    Executable& executable_;
    TrainingPlan plan_;
    Exchanger& exchanger_;
    std::vector<std::unique_ptr<Bucket>> buckets_;         // in backward order
    std::vector<std::size_t> first_steps_, update_steps_;  // of the executable, in order
};

// What a rank reads and writes in memory in an iteration to copy the gradients out of the engine
// and their means back.
Bytes copied_bytes(const Graph& graph, const Execution& execution);

// The largest difference of two networks' parameters, over the largest parameter.
double parameter_difference(const Graph& graph, const Executable& a, const Executable& b);

}  // namespace strata

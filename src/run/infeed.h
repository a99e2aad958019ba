// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "image/augment.h"
#include "image/collection.h"
#include "record/run.h"
#include "run/execute.h"

namespace strata {

// The images of a run and the input that they become.
struct ImageFeed {
    ImageCollection collection;
    TensorId input = 0;
    ImageShape shape;
};

// The input that images can become: the network's only one of batch x channels x height x width
// with 1 or 3 channels and floating numbers. Throws Error with exit code usage where there is none.
TensorId image_input(const Graph& graph);

// Makes or reads the images, before anything is measured. Throws Error (image/collection.h).
ImageFeed image_feed(const InfeedRequest& request, const Graph& graph, std::uint64_t seed);

// Measures the network as it is fed (measure/infeed.h), with the job's policy. Interrupted, the run
// becomes partial and keeps nothing of it. Throws Error with exit code usage where the executable
// computes elsewhere than in this process.
void feed_into(Run& run, const ImageFeed& feed, Executable& executable, const Job& job,
               const Observer& observer);

}  // namespace strata

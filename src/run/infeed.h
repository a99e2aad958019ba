// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "image/augment.h"
#include "image/collection.h"
#include "record/run.h"
#include "run/execute.h"

namespace strata {

// The images of a run and the input that they are made into.
struct ImageFeed {
    ImageCollection collection;
    TensorId input = 0;
    ImageShape shape;
};

// The input for images: the network's only one of shape batch x channels x height x width with 1 or
// 3 channels and a floating type. Throws Error with exit code usage if there is none.
TensorId image_input(const Graph& graph);

// Creates or reads the images before anything is measured. Throws Error (image/collection.h).
ImageFeed image_feed(const InfeedRequest& request, const Graph& graph, std::uint64_t seed);

// Measures the network while it is fed (measure/infeed.h), with the job's policy. If interrupted,
// the run becomes partial and keeps no infeed times. Throws Error with exit code usage if the
// executable computes outside this process.
void feed_into(Run& run, const ImageFeed& feed, Executable& executable, const Job& job,
               const Observer& observer);

}  // namespace strata

// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/step.h"

namespace strata {

// A step of a pipeline, whose work is that of one micro-batch: layers in as many consecutive stages
// as there are devices, so that the slowest stage is as fast as possible; each stage has at most as
// many micro-batches in flight as stages follow it, and does backward passes first. Only the
// boundary's tensors are sent. Throws Error if there are fewer layers than devices.
ParallelStep pipeline_step(const DeviceWork& work, const Cluster& cluster,
                           const ParallelPlan& plan);

// The last layer of each stage. Requires: at least as many layers as stages.
std::vector<LayerId> balanced_stages(std::span<const Seconds> layers, std::size_t stages);

}  // namespace strata

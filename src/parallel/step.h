// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "parallel/cluster.h"
#include "parallel/plan.h"
#include "parallel/tensor_split.h"
#include "predict/network.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// A network as one device runs it: at its own batch, or at that of a micro-batch, and with its part
// of layers that are divided.
struct DeviceWork {
    const Graph& graph;
    const Execution& execution;
    const NetworkPrediction& prediction;
    const DeviceDescription& device;
    std::span<const SplitExchange> exchanges = {};  // that divided layers need
};

// A layer's part of the communication. What a bucket needs is divided by the bytes of its layers.
struct LayerExchange {
    LayerId layer = 0;
    Bytes bytes;           // that the devices exchange of it
    Seconds exchange;      // how long that takes
    Seconds exposed;       // of which devices do nothing else
    Seconds compute = {};  // of its passes
    Seconds waiting = {};  // for the slowest device

    Seconds hidden() const;
};

// What a device's memory holds at the worst moment.
struct DeviceMemory {
    Bytes parameters = {};  // with statistics, constants, and those of others that are gathered
    Bytes gradients = {};   // of parameters, kept until they are exchanged
    Bytes optimizer = {};   // its state
    Bytes passes = {};      // activations, what they save, and gradients of the passes

    Bytes all() const { return parameters + gradients + optimizer + passes; }
};

// A step of several devices. time = compute + encoding + exposed + bubble + waiting + other.
struct ParallelStep {
    Seconds time = {};
    Seconds compute = {};   // forward, backward and update of the busiest device
    Seconds encoding = {};  // of gradients of fewer bits, and of frameworks
    Seconds exchange = {};  // all communication, hidden or exposed
    Seconds exposed = {};
    Seconds bubble = {};                     // of a pipeline: the busiest stage has no micro-batch
    Seconds waiting = {};                    // for the slowest device, beyond the mean
    Seconds other = {};                      // of a measured step, what no part contains
    DeviceMemory memory = {};                // of the device that needs most
    std::vector<LayerExchange> layers = {};  // those that exchange something, in forward order

    Seconds hidden() const;
};

// Whether devices exchange gradients, which bits and ZeRO have an effect on; whether they do so in
// buckets; and whether they compute while they exchange something.
bool exchanges_gradients(const ParallelPlan& plan);
bool has_buckets(const ParallelPlan& plan);
bool may_overlap(const ParallelPlan& plan);

// The plan with its settings at their defaults if they have no effect: plans of equal steps become
// equal. One device divides nothing, data parallelism with ZeRO stage 3 is fsdp, and all devices
// share each layer or are stages of one pipeline if their number is not given. Throws Error if the
// devices are no multiple of those that share a layer times the stages.
ParallelPlan effective(ParallelPlan plan);

// Predicts a step, in which the devices compute while one message at a time is on its way. Data:
// gradients are collected in buckets, in backward order; a bucket is exchanged once it is full and
// the one before it is done, and updates follow in the same order. Fsdp: a bucket's parameters are
// gathered before its forward and again before its backward pass, one bucket ahead. Pipeline:
// consecutive layers in stages of similar time, micro-batches one forward and one backward in turn
// (Narayanan et al. 2021). Tensor: the work is that of a network whose layers are divided
// (tensor_split); devices wait for the sums of results, and sums of gradients go on beside
// gradients of weights. All these combine, except fsdp with pipelines. Messages of different groups
// of devices do not wait for each other, and kernels of exchanges are assumed not to slow those
// that compute. Requires: a prediction without refusals. Throws Error for what is not modelled.
ParallelStep parallel_step(const DeviceWork& work, const Cluster& cluster,
                           const ParallelPlan& plan);

// The same of a pipeline, whose work is that of one micro-batch: each stage has at most as many
// micro-batches in flight as stages follow it, and does backward passes first. Only the boundary's
// tensors are sent. Replicas exchange their gradients after the last of them. Throws Error if there
// are fewer layers than stages.
ParallelStep pipeline_step(const DeviceWork& work, const Cluster& cluster,
                           const ParallelPlan& plan);

// The last layer of each stage of a pipeline, so that the slowest is as fast as possible. Requires:
// at least as many layers as stages.
std::vector<LayerId> balanced_stages(std::span<const Seconds> layers, std::size_t stages);

// The factor by which the slowest of so many devices exceeds their mean, for normal times of that
// relative standard deviation (Blom 1958).
double slowest_of(int devices, double spread);

}  // namespace strata

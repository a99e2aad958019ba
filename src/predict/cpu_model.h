// SPDX-License-Identifier: MIT
#pragma once

#include "predict/cpu_rates.h"
#include "predict/cpu_work.h"

#include <memory>

namespace strata {

// Where operands are when a pass begins: left by the pass itself if an operator runs alone
// repeatedly, or left by the rest of a network, which has evicted the parameters and the result's
// memory from the caches.
enum class Surroundings { alone, network };

// The time and its terms:
//
//   time = repeats (call + (arithmetic^4 + (caches + memory)^4)^(1/4))
//   arithmetic = operations (1 + start / sum + refill / row + edge / columns) / (efficiency peak)
//   traffic = operands once + refetch operations
//
// with more of it if there are too few pieces for all cores. Caches and memory share the traffic by
// capacity: a working set misses a cache for 1 / (1 + (capacity / bytes)^4) of its traffic. (The
// cache-aware roofline of Ilic, Pratas and Sousa, IEEE Computer Architecture Letters 2014, with
// reached instead of stated ceilings; the forms of efficiency and blend are ours.)
KernelPrediction predict_on_cpu(const CpuWork& work, const CpuCeilings& ceilings,
                                const CpuRates& rates, Surroundings surroundings, Mode mode);

// A CPU that runs layers as `strata run` does: by oneDNN, and convolutions by the algorithm that is
// expected to be the fastest if the execution leaves it open.
std::unique_ptr<DeviceModel> cpu_model(Cpu cpu);

}  // namespace strata

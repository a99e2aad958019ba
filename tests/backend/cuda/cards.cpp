// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/cards.h"

#include "tests/backend/cuda/emulated.h"

#include <algorithm>

namespace strata::testing {

namespace {

// A card of each compute capability: its multiprocessors from the table of compute capabilities in
// the CUDA programming guide, the rest from its data sheet. The clocks are those of the H200.
struct Card {
    const char* name;
    int compute_capability;
    int multiprocessors;
    int threads;    // of a multiprocessor
    int blocks;     // of a multiprocessor
    int shared_kb;  // of a multiprocessor; a block may request 1 KiB less
    std::int64_t l2_mb;
    std::int64_t memory_gb;
};

constexpr std::array cards = {Card{"NVIDIA T4", 75, 40, 1024, 16, 64, 4, 16},
                              Card{"NVIDIA A100", 80, 108, 2048, 32, 164, 40, 40},
                              Card{"NVIDIA GeForce RTX 3060", 86, 28, 1536, 16, 100, 3, 12},
                              Card{"NVIDIA L4", 89, 58, 1536, 24, 100, 48, 24},
                              Card{"NVIDIA H200", 90, 132, 2048, 32, 228, 50, 141},
                              Card{"NVIDIA B200", 100, 148, 2048, 32, 228, 126, 180},
                              Card{"NVIDIA GeForce RTX 5090", 120, 170, 1536, 24, 100, 96, 32}};

}  // namespace

cuda::DeviceProperties described_card(int compute_capability) {
    const Card& card = *std::ranges::find(cards, compute_capability, &Card::compute_capability);
    cuda::DeviceProperties device = described_h200();
    device.name = card.name;
    device.compute_capability = card.compute_capability;
    device.multiprocessors = card.multiprocessors;
    device.max_threads_per_multiprocessor = card.threads;
    device.max_blocks_per_multiprocessor = card.blocks;
    const bool has_reserve = card.compute_capability >= 80;
    device.reserved_shared_memory_per_block = has_reserve ? 1024 : 0;
    device.shared_memory_per_block_optin = 1024 * (card.shared_kb - (has_reserve ? 1 : 0));
    device.l2_bytes = card.l2_mb << 20;
    device.memory_bytes = card.memory_gb << 30;
    return device;
}

}  // namespace strata::testing

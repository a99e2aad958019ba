// SPDX-License-Identifier: MIT
#pragma once

#include "image/augment.h"
#include "image/collection.h"
#include "measure/sampled_infeed.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace strata {

// Makes batches of a network's input from stored images, on its own threads, which may use any
// processor of this process. Two buffers: while one batch is made, the previous one can be read.
// The image and crop of element i of batch b depend only on seed, b and i, not on the number of
// threads.
class BatchMaker {
public:
    // Requires: a collection that has an image and outlives this; batch and threads at least 1.
    BatchMaker(const ImageCollection& collection, const ImageShape& shape, std::size_t batch,
               int threads, std::uint64_t seed);
    BatchMaker(const BatchMaker&) = delete;
    BatchMaker& operator=(const BatchMaker&) = delete;
    ~BatchMaker() = default;

    // Starts making the next batch. Requires: none is being made.
    void begin();

    // Waits until it is made; returns its cost. Throws Error if an image cannot be decoded.
    BatchTimes finish();

    // The batch finished last, image after image; valid until `begin` is called twice.
    std::span<const float> values() const { return buffers_[finished_]; }

private:
    struct Workspace {
        Bitmap image;
        std::vector<float> row;
    };

    void work(const std::stop_token& stop);
    BatchTimes make(std::size_t element, std::span<float> values, Workspace& space) const;

    const ImageCollection& collection_;
    const ImageShape shape_;
    const std::size_t batch_;
    const RandomStream choices_;
    const RandomStream crops_;
    std::array<std::vector<float>, 2> buffers_;
    std::size_t finished_ = 1;  // buffer
    std::mutex mutex_;
    std::condition_variable_any work_is_there_;
    std::condition_variable work_is_done_;
    std::uint64_t begun_ = 0;  // batches
    std::size_t next_;         // the next element that no thread has taken
    std::size_t missing_ = 0;  // elements not made yet
    BatchTimes times_;
    std::exception_ptr failure_;
    std::vector<std::jthread>
        threads_;  // last member, so that the threads end before what they use
};

}  // namespace strata

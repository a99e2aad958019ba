// SPDX-License-Identifier: MIT
#include "image/batch_maker.h"

#include "base/error.h"
#include "base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <utility>

namespace strata {

namespace {

// The engine binds its main thread, and threads started from there would share its processor.
void use_all_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : allowed_processors()) {
        CPU_SET(static_cast<std::size_t>(processor), &set);
    }
    ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

// The processor time of this thread: on a shared processor, elapsed time says nothing about the
// work.
Seconds thread_time() {
    timespec now = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return Seconds{static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)};
}

}  // namespace

BatchMaker::BatchMaker(const ImageCollection& collection, const ImageShape& shape,
                       std::size_t batch, int threads, std::uint64_t seed)
    : collection_(collection),
      shape_(shape),
      batch_(batch),
      choices_(seed, 0x696d616765730002),
      crops_(seed, 0x696d616765730003),
      next_(batch) {
    check(!collection.images.empty() && batch > 0 && threads > 0, "a batch needs images");
    for (auto& buffer : buffers_) {
        buffer.resize(batch * shape.elements());
    }
    for (int i = 0; i < threads; ++i) {
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
}

void BatchMaker::begin() {
    const std::lock_guard lock(mutex_);
    check(missing_ == 0, "one batch is made at a time");
    ++begun_;
    next_ = 0;
    missing_ = batch_;
    times_ = {};
    work_is_there_.notify_all();
}

BatchTimes BatchMaker::finish() {
    std::unique_lock lock(mutex_);
    work_is_done_.wait(lock, [this] { return missing_ == 0; });
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    finished_ = begun_ % 2;
    return times_;
}

void BatchMaker::work(const std::stop_token& stop) {
    use_all_processors();
    Workspace space;
    space.image.channels = shape_.channels;
    std::unique_lock lock(mutex_);
    while (work_is_there_.wait(lock, stop, [this] { return next_ < batch_; }) &&
           !stop.stop_requested()) {
        const std::size_t element = next_++;
        const std::size_t number = (begun_ - 1) * batch_ + element;
        const std::span<float> values(&buffers_[begun_ % 2][element * shape_.elements()],
                                      shape_.elements());
        BatchTimes made;
        std::exception_ptr failure;
        lock.unlock();
        try {
            made = make(number, values, space);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        times_.decode += made.decode;
        times_.augment += made.augment;
        failure_ = failure_ ? failure_ : failure;
        if (--missing_ == 0) {
            work_is_done_.notify_all();
        }
    }
}

BatchTimes BatchMaker::make(std::size_t element, std::span<float> values, Workspace& space) const {
    const EncodedImage& chosen =
        collection_.images[choices_.bits(element) % collection_.images.size()];
    const Seconds begin = thread_time();
    decode_jpeg(chosen.file, chosen.name, space.image);
    const Seconds decoded = thread_time();
    resample(space.image, random_crop(space.image, crops_, element), shape_, space.row, values);
    return {.decode = decoded - begin, .augment = thread_time() - decoded};
}

}  // namespace strata

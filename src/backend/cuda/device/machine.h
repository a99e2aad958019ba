// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device/program.h"
#include "backend/cuda/device/properties.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace strata::cuda {

// What went wrong on a device. Each has one fix.
enum class DeviceTrouble {
    no_driver,
    driver_too_old,
    not_ready,  // the machine is not set up for CUDA
    unsupported_device,
    out_of_memory,
    launch_refused,
    recording_refused,
    kernel_failed,
    device_lost,
    timed_out,
    library_refused,
    unknown,
};

// Whether it concerns one way of doing something, so that another way may work.
constexpr bool is_refusal(DeviceTrouble trouble) {
    return trouble == DeviceTrouble::library_refused || trouble == DeviceTrouble::out_of_memory;
}

// Whether the process cannot use the device any more.
constexpr bool is_loss(DeviceTrouble trouble) {
    return trouble == DeviceTrouble::kernel_failed || trouble == DeviceTrouble::device_lost ||
           trouble == DeviceTrouble::timed_out;
}

// One sentence: what went wrong, where, and the fix.
class DeviceError : public DeviceFailure {
public:
    DeviceError(DeviceTrouble trouble, std::string sentence)
        : DeviceFailure(is_loss(trouble) ? DeviceFate::lost : DeviceFate::usable,
                        std::move(sentence), ExitCode::machine_cannot),
          trouble_(trouble) {}
    DeviceTrouble trouble() const { return trouble_; }

private:
    DeviceTrouble trouble_;
};

// Memory of the machine. Releasing the pointer frees it.
using Memory = std::unique_ptr<void, std::function<void(void*)>>;

enum class Transfer { to_machine, from_machine };

// A recorded sequence of calls that the machine repeats in one launch.
class Replay {
public:
    virtual ~Replay() = default;
    virtual void enqueue() = 0;
};

// Runs a program: a GPU through the CUDA runtime, or a replacement in tests. Calls are executed in
// the order in which they are enqueued. Every function throws DeviceError if the device cannot
// continue.
class Machine {
public:
    virtual ~Machine() = default;
    virtual const DeviceProperties& properties() const = 0;

    // Work that takes longer counts as hung. Every function that waits then throws DeviceError with
    // timed_out, and the device cannot be used any more.
    virtual void limit_waits(Seconds limit) { (void)limit; }

    // The memory is zero.
    virtual Memory allocate(std::size_t bytes) = 0;
    // Sets to zero, after everything enqueued so far.
    virtual void clear(void* memory, std::size_t bytes) = 0;
    // Blocks, and copies after everything enqueued so far.
    virtual void copy(Transfer transfer, void* machine, void* host, std::size_t bytes) = 0;

    // Makes the library's decisions that need the device, before the first enqueue.
    virtual void finalize(const Call& call) = 0;
    // Lets a library choose, then runs the call once, blocking, so that a refusal or failure on the
    // device is attributed to this call. If the device refuses, the library's next way is tried.
    // Only on a device; the call writes its results.
    virtual void probe(const Call& call, std::span<void* const> addresses) = 0;
    virtual void enqueue(const Call& call, std::span<void* const> addresses) = 0;
    // Records what `enqueue_all` enqueues, for repetition. Empty if that cannot be recorded; the
    // machine then continues as if it had not tried.
    virtual std::unique_ptr<Replay> record(const std::function<void()>& enqueue_all) = 0;

    // A time stamp in the stream, recorded or not. Stamps are numbered from 0; each number is
    // reused.
    virtual void stamp(std::size_t number) = 0;
    // Waits for everything enqueued so far.
    virtual Seconds between(std::size_t earlier, std::size_t later) = 0;
    // Waits for everything enqueued so far.
    virtual void wait() = 0;

    // Releases the scratch memory that calls of earlier programs needed. Recorded iterations keep
    // theirs.
    virtual void release_workspace() {}
    // The scratch memory that it holds for library calls, in bytes.
    virtual std::size_t workspace() const { return 0; }
    // The free memory of its device, in bytes; empty if the machine cannot say.
    virtual std::optional<std::size_t> free_memory() const { return {}; }
};

}  // namespace strata::cuda

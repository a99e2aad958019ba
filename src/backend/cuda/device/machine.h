// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"
#include "backend/cuda/device/properties.h"
#include "base/error.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace strata::cuda {

// What went wrong on a device; each has one fix.
enum class DeviceTrouble {
    no_driver,
    driver_too_old,
    unsupported_device,
    out_of_memory,
    launch_refused,
    kernel_failed,
    device_lost,
    timed_out,
    library_refused,
};

// Trouble as one sentence: what, where, what to do.
class DeviceError : public Error {
public:
    DeviceError(DeviceTrouble trouble, std::string sentence)
        : Error(std::move(sentence), ExitCode::machine_cannot), trouble_(trouble) {}
    DeviceTrouble trouble() const { return trouble_; }

private:
    DeviceTrouble trouble_;
};

// Memory of the machine, freed with it.
using Memory = std::unique_ptr<void, std::function<void(void*)>>;

enum class Transfer { to_machine, from_machine };

// A sequence of calls that the machine has recorded and repeats at once.
class Replay {
public:
    virtual ~Replay() = default;
    virtual void enqueue() = 0;
};

// Where a program runs: a GPU through the CUDA runtime, or this processor's memory and the calls'
// host side (host_machine.h), which tests use instead. Calls are executed in the order in which
// they are enqueued. Every function throws DeviceError where the device cannot continue.
class Machine {
public:
    virtual ~Machine() = default;
    virtual const DeviceProperties& properties() const = 0;

    // Zero until written.
    virtual Memory allocate(std::size_t bytes) = 0;
    // Zeros again, after all that was enqueued.
    virtual void clear(void* memory, std::size_t bytes) = 0;
    // Blocking, after all that was enqueued.
    virtual void copy(Transfer transfer, void* machine, void* host, std::size_t bytes) = 0;

    // Makes the library's decisions that need the device, before the first enqueue. The scratch
    // memory that all calls need together is known after the last one.
    virtual void finalize(const Call& call) = 0;
    // Lets a library choose, then runs the call once, blocking, so that a refusal or failure on the
    // device is attributed to this call. Only where there is a device: the call writes its results.
    virtual void probe(const Call& call, std::span<void* const> addresses) = 0;
    virtual void enqueue(const Call& call, std::span<void* const> addresses) = 0;
    // What `enqueue_all` enqueues, to be repeated.
    virtual std::unique_ptr<Replay> record(const std::function<void()>& enqueue_all) = 0;

    // A time stamp in the stream, recorded or not; stamps are numbered from 0 and each number is
    // used again and again.
    virtual void stamp(std::size_t number) = 0;
    // Waits for the later stamp.
    virtual Seconds between(std::size_t earlier, std::size_t later) = 0;
    // Waits for all that was enqueued.
    virtual void wait() = 0;

    // Scratch memory that it holds for library calls, in bytes.
    virtual std::size_t workspace() const { return 0; }
};

}  // namespace strata::cuda

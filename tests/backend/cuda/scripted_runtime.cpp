// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/scripted_runtime.h"

#include "backend/device_watch.h"
#include "tests/backend/cuda/emulated.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <vector>

// The objects behind CUDA's handles.
struct CUevent_st {
    std::optional<double> reached_at = {};  // milliseconds of the device's clock
    int awaited = 0;                        // records that the stream has not reached
};

namespace strata::testing {

namespace {

// A stamp if there is an event; otherwise work, either a test's own or of a fixed time.
struct Command {
    CUevent_st* event = nullptr;
    const Work* work = nullptr;
    double milliseconds = 0;

    double takes() const { return work != nullptr ? work->milliseconds() : milliseconds; }
};

struct Stream {
    std::deque<Command> left;
    std::optional<std::vector<Command>> capture;
    double now = 0;
};

// All state, so that a test begins anew.
struct Runtime {
    ScriptedRuntime script;
    Stream stream;
    cudaError_t last_error = cudaSuccess;
    std::map<void*, std::size_t> memory;
    std::vector<std::unique_ptr<CUevent_st>> events;
};

Runtime& runtime() {
    static Runtime all;
    return all;
}

cudaError_t answer(cudaError_t error) {
    if (error != cudaSuccess) {
        runtime().last_error = error;
    }
    return error;
}

cudaError_t answer_of_device() {
    return answer(runtime().script.sticky);
}

void put(const Command& command) {
    Stream& stream = runtime().stream;
    stream.capture ? stream.capture->push_back(command) : stream.left.push_back(command);
}

// Ends the process if CUDA is called after it was given up.
void expect_usable(const char* function) {
    if (device_hangs()) {
        std::fprintf(stderr, "%s was called although the device hangs\n", function);
        std::_Exit(called_too_late);
    }
}

// Executes the next item on the stream, unless that never ends.
void work_on(Stream& stream) {
    const Command command = stream.left.front();
    if (command.takes() == never_ends) {
        return;
    }
    stream.left.pop_front();
    if (command.event != nullptr) {
        stream.now += runtime().script.milliseconds_of_stamps;
        command.event->reached_at = stream.now;
        command.event->awaited = std::max(0, command.event->awaited - 1);
    } else {
        stream.now += command.takes();
    }
}

// A blocking call: CUDA would never return from it if the work did not end.
void work_off(const char* function) {
    Stream& stream = runtime().stream;
    while (!stream.capture && !stream.left.empty()) {
        if (stream.left.front().takes() == never_ends) {
            std::fprintf(stderr, "%s blocks for ever\n", function);
            std::_Exit(blocked_for_ever);
        }
        work_on(stream);
    }
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int thing = 0;

template <class Handle>
Handle some_handle() {
    return reinterpret_cast<Handle>(&thing);
}

}  // namespace

ScriptedRuntime& scripted_runtime() {
    return runtime().script;
}

void restart_scripted_runtime() {
    runtime().script = {};
    runtime().stream = {};
    runtime().last_error = cudaSuccess;
}

void Work::enqueue(const cuda::Queue&, std::span<void* const>) const {
    put({.work = this});
}

}  // namespace strata::testing

using namespace strata::testing;  // the runtime's functions are in no namespace

struct CUgraph_st {
    std::vector<Command> commands;
};
struct CUgraphExec_st {
    std::vector<Command> commands;
};

cudaError_t cudaDriverGetVersion(int* version) {
    expect_usable(__func__);
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    expect_usable(__func__);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    expect_usable(__func__);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetLastError() {
    expect_usable(__func__);
    const cudaError_t error = runtime().last_error;
    runtime().last_error = runtime().script.sticky;
    return error;
}

cudaError_t cudaPeekAtLastError() {
    expect_usable(__func__);
    return runtime().last_error;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    expect_usable(__func__);
    *total = runtime().script.total_memory;
    *free = *total - std::min(*total, runtime().script.taken_memory);
    return answer_of_device();
}

cudaError_t cudaMalloc(void** begin, std::size_t bytes) {
    expect_usable(__func__);
    work_off(__func__);
    ScriptedRuntime& script = runtime().script;
    if (bytes > script.total_memory - script.taken_memory) {
        return answer(cudaErrorMemoryAllocation);
    }
    *begin = std::malloc(bytes);
    runtime().memory[*begin] = bytes;
    script.taken_memory += bytes;
    return answer_of_device();
}

cudaError_t cudaFree(void* begin) {
    expect_usable(__func__);
    work_off(__func__);
    const auto taken = runtime().memory.find(begin);
    if (taken == runtime().memory.end()) {
        return answer(cudaErrorInvalidValue);
    }
    runtime().script.taken_memory -= taken->second;
    runtime().memory.erase(taken);
    std::free(begin);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
    expect_usable(__func__);
    work_off(__func__);  // as a copy of unpinned memory may
    std::memcpy(to, from, bytes);
    put({.milliseconds = runtime().script.milliseconds_of_copies});
    return answer_of_device();
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
    expect_usable(__func__);
    std::memset(to, value, bytes);
    return answer_of_device();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    expect_usable(__func__);
    *stream = some_handle<cudaStream_t>();
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t) {
    expect_usable(__func__);
    work_off(__func__);
    return cudaSuccess;
}

// One item is executed between two queries.
cudaError_t cudaStreamQuery(cudaStream_t) {
    expect_usable(__func__);
    Stream& stream = runtime().stream;
    if (stream.capture) {
        return answer(cudaErrorStreamCaptureUnsupported);
    }
    if (!stream.left.empty()) {
        work_on(stream);
    }
    return stream.left.empty() ? answer_of_device() : answer(cudaErrorNotReady);
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
    expect_usable(__func__);
    work_off(__func__);
    return answer_of_device();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
    expect_usable(__func__);
    if (runtime().script.sticky == cudaSuccess) {
        runtime().stream.capture.emplace();
    }
    return answer_of_device();
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
    expect_usable(__func__);
    std::vector<Command> commands = std::move(*runtime().stream.capture);
    runtime().stream.capture.reset();
    *graph = nullptr;
    if (const cudaError_t error = runtime().script.answer_to_capture; error != cudaSuccess) {
        return answer(error);
    }
    ++runtime().script.live_graphs;
    *graph = new CUgraph_st{std::move(commands)};
    return answer_of_device();
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
    expect_usable(__func__);
    if (const cudaError_t error = runtime().script.answer_to_instantiation; error != cudaSuccess) {
        return answer(error);
    }
    *executable = new CUgraphExec_st{graph->commands};
    return answer_of_device();
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
    expect_usable(__func__);
    return answer_of_device();
}

// An event in a graph is recorded when the graph reaches it; until then it keeps the time of the
// previous replay.
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
    expect_usable(__func__);
    for (const Command& command : executable->commands) {
        put(command);
    }
    return answer_of_device();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    expect_usable(__func__);
    work_off(__func__);
    delete executable;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    expect_usable(__func__);
    --runtime().script.live_graphs;
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    expect_usable(__func__);
    *event = runtime().events.emplace_back(std::make_unique<CUevent_st>()).get();
    return answer_of_device();
}

cudaError_t cudaEventDestroy(cudaEvent_t) {
    expect_usable(__func__);
    work_off(__func__);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t, unsigned int flags) {
    expect_usable(__func__);
    const bool captures = runtime().stream.capture.has_value();
    if (captures != (flags == cudaEventRecordExternal)) {
        return answer(cudaErrorInvalidValue);
    }
    event->awaited += captures ? 0 : 1;
    put({.event = event});
    return answer_of_device();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    expect_usable(__func__);
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    expect_usable(__func__);
    if (event->awaited > 0 && !runtime().stream.left.empty()) {
        work_on(runtime().stream);
    }
    return event->awaited > 0 ? answer(cudaErrorNotReady) : answer_of_device();
}

cudaError_t cudaEventSynchronize(cudaEvent_t) {
    expect_usable(__func__);
    work_off(__func__);
    return answer_of_device();
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    expect_usable(__func__);
    if (!begin->reached_at || !end->reached_at) {
        return answer(cudaErrorInvalidResourceHandle);
    }
    if (begin->awaited > 0 || end->awaited > 0) {
        return answer(cudaErrorNotReady);
    }
    *milliseconds = static_cast<float>(*end->reached_at - *begin->reached_at);
    return answer_of_device();
}

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
    expect_usable(__func__);
    ScriptedRuntime& script = runtime().script;
    const cudaError_t answered = answer_of_device();
    if (script.bad_launch && (*script.bad_launch)-- == 0) {
        script.error_of_bad_launch == cudaSuccess
            ? put({.milliseconds = never_ends})
            : void(script.sticky = script.error_of_bad_launch);
    }
    return answered;
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    expect_usable(__func__);
    *handle = some_handle<cudnnHandle_t>();
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t) {
    expect_usable(__func__);
    work_off(__func__);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) {
    expect_usable(__func__);
    return CUDNN_STATUS_SUCCESS;
}

// The device is an H200.
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       const void* values) {
    expect_usable(__func__);
    static const auto library = next<decltype(cudnnBackendSetAttribute)>(__func__);
    if (name != CUDNN_ATTR_DEVICEPROP_DEVICE_ID) {
        return library(descriptor, name, type, count, values);
    }
    const std::string text = to_json(described_h200());
    return library(descriptor, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                   static_cast<std::int64_t>(text.size()) + 1, text.c_str());
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    expect_usable(__func__);
    static const auto library = next<decltype(cudnnBackendDestroyDescriptor)>(__func__);
    return library(descriptor);
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t) {
    expect_usable(__func__);
    ScriptedRuntime& script = runtime().script;
    if (!script.answers_to_plans.empty()) {
        const cudnnStatus_t status = script.answers_to_plans.front();
        script.answers_to_plans.pop_front();
        if (status != CUDNN_STATUS_SUCCESS) {
            return status;
        }
    }
    const auto known = script.milliseconds_of_plans.find(plan);
    put({.milliseconds = known == script.milliseconds_of_plans.end() ? 1 : known->second});
    return CUDNN_STATUS_SUCCESS;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    expect_usable(__func__);
    *handle = some_handle<cublasLtHandle_t>();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
    expect_usable(__func__);
    work_off(__func__);
    return CUBLAS_STATUS_SUCCESS;
}

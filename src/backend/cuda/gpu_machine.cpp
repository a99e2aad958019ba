// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/stream.h"
#include "backend/cuda/device/trouble.h"
#include "backend/device_watch.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace strata::cuda {

namespace {

struct GraphEnd {
    void operator()(cudaGraph_t graph) const {
        if (!device_hangs()) {
            cudaGraphDestroy(graph);
        }
    }
};
using RecordedGraph = std::unique_ptr<CUgraph_st, GraphEnd>;

// Scratch memory. A recorded iteration keeps using its own after the machine has allocated more.
using SharedMemory = std::shared_ptr<void>;

class GraphReplay : public Replay {
public:
    GraphReplay(RecordedGraph graph, cudaGraphExec_t executable, std::shared_ptr<Stream> stream,
                std::vector<SharedMemory> scratch)
        : graph_(std::move(graph)),
          executable_(executable),
          stream_(std::move(stream)),
          scratch_(std::move(scratch)) {}
    ~GraphReplay() override {
        if (stream_->settle()) {
            cudaGraphExecDestroy(executable_);
        }
    }
    GraphReplay(const GraphReplay&) = delete;
    GraphReplay& operator=(const GraphReplay&) = delete;

    void enqueue() override {
        stream_->require_device("launching a CUDA graph");
        require_cuda(cudaGraphLaunch(executable_, stream_->get()), "launching a CUDA graph");
    }

private:
    RecordedGraph graph_;
    cudaGraphExec_t executable_;
    std::shared_ptr<Stream> stream_;
    std::vector<SharedMemory> scratch_;
};

class GpuMachine : public Machine {
public:
    GpuMachine();
    ~GpuMachine() override;
    GpuMachine(const GpuMachine&) = delete;
    GpuMachine& operator=(const GpuMachine&) = delete;

    const DeviceProperties& properties() const override { return properties_; }
    void limit_waits(Seconds limit) override { stream_->limit = limit; }
    Memory allocate(std::size_t bytes) override;
    void clear(void* memory, std::size_t bytes) override;
    void copy(Transfer transfer, void* machine, void* host, std::size_t bytes) override;
    void finalize(const Call& call) override;
    void probe(const Call& call, std::span<void* const> addresses) override;
    void enqueue(const Call& call, std::span<void* const> addresses) override;
    std::unique_ptr<Replay> record(const std::function<void()>& enqueue_all) override;
    void stamp(std::size_t number) override;
    Seconds between(std::size_t earlier, std::size_t later) override;
    void wait() override;
    void release_workspace() override;
    std::size_t workspace() const override { return queue_.workspace_bytes; }
    std::optional<std::size_t> free_memory() const override;

private:
    void reserve_workspace(std::size_t bytes);
    RecordedGraph capture(const std::function<void()>& enqueue_all);
    void require_usable();

    DeviceProperties properties_;
    std::shared_ptr<Stream> stream_ = std::make_shared<Stream>();
    Queue queue_;
    SharedMemory workspace_;
    std::vector<SharedMemory> outgrown_;  // used by the iteration that is being recorded
    std::vector<cudaEvent_t> stamps_;
};

GpuMachine::GpuMachine() {
    int device = 0;
    require_cuda(cudaGetDevice(&device), "looking for a GPU");
    queue_.work = stream_;
    queue_.stream = stream_->get();
    require_cudnn(cudnnCreate(&queue_.cudnn), "opening cuDNN");
    require_cudnn(cudnnSetStream(queue_.cudnn, queue_.stream), "opening cuDNN");
    require_cublas(cublasLtCreate(&queue_.cublas), "opening cuBLASLt");
    queue_.allocate = [this](std::size_t bytes) { return allocate(bytes); };
    properties_ = parse_device_properties(description_of_device(device));
    properties_.cudnn = queue_.cudnn;
}

GpuMachine::~GpuMachine() {
    if (!stream_->settle()) {
        return;
    }
    for (cudaEvent_t stamp : stamps_) {
        cudaEventDestroy(stamp);
    }
    cublasLtDestroy(queue_.cublas);
    cudnnDestroy(queue_.cudnn);
}

// Allocating and freeing memory may wait for everything on the device, so it first waits for the
// work, with the limit.
Memory GpuMachine::allocate(std::size_t bytes) {
    if (!stream_->is_recording) {
        wait();
    }
    void* begin = nullptr;
    require_cuda(cudaMalloc(&begin, std::max<std::size_t>(bytes, 1)), "taking memory of the GPU");
    Memory memory = {begin, [stream = stream_](void* taken) {
                         if (stream->settle()) {
                             cudaFree(taken);
                         }
                     }};
    clear(begin, bytes);
    return memory;
}

void GpuMachine::clear(void* memory, std::size_t bytes) {
    stream_->require_device("clearing memory of the GPU");
    require_cuda(cudaMemsetAsync(memory, 0, bytes, queue_.stream), "clearing memory of the GPU");
}

// An asynchronous copy from or to memory that is not pinned may itself wait for the stream, so it
// first waits for the stream's work.
void GpuMachine::copy(Transfer transfer, void* machine, void* host, std::size_t bytes) {
    stream_->wait("copying values");
    const bool in = transfer == Transfer::to_machine;
    require_cuda(
        cudaMemcpyAsync(in ? machine : host, in ? host : machine, bytes,
                        in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, queue_.stream),
        "copying values");
    stream_->wait("copying values");
}

void GpuMachine::finalize(const Call& call) {
    stream_->require_device("preparing a call");
    if (const auto* library = std::get_if<std::shared_ptr<LibraryCall>>(&call.function)) {
        (*library)->finalize(queue_);
    }
}

void GpuMachine::probe(const Call& call, std::span<void* const> addresses) {
    const auto* library = std::get_if<std::shared_ptr<LibraryCall>>(&call.function);
    if (library != nullptr) {
        (*library)->choose(queue_, addresses);
    }
    for (bool is_done = false; !is_done;) {
        try {
            enqueue(call, addresses);
            wait();
            is_done = true;
        } catch (const DeviceError& error) {
            const bool goes_on =
                library != nullptr && is_refusal(error.trouble()) && (*library)->take_next();
            if (!goes_on) {
                throw;
            }
        }
    }
}

// One block for all calls, as large as the largest request.
void GpuMachine::reserve_workspace(std::size_t bytes) {
    if (bytes <= queue_.workspace_bytes) {
        return;
    }
    if (stream_->is_recording) {
        outgrown_.push_back(workspace_);
    }
    queue_.workspace = nullptr;
    queue_.workspace_bytes = 0;
    workspace_.reset();
    workspace_ = allocate(bytes);
    queue_.workspace = workspace_.get();
    queue_.workspace_bytes = bytes;
}

void GpuMachine::release_workspace() {
    wait();
    queue_.workspace = nullptr;
    queue_.workspace_bytes = 0;
    workspace_.reset();
}

void GpuMachine::enqueue(const Call& call, std::span<void* const> addresses) {
    stream_->require_device("launching a kernel");
    if (const auto* kernel = std::get_if<Kernel>(&call.function)) {
        require_cuda(kernel->launch(queue_.stream, addresses), kernel->name);
    } else {
        const auto& library = std::get<std::shared_ptr<LibraryCall>>(call.function);
        reserve_workspace(library->workspace());
        library->enqueue(queue_, addresses);
    }
}

// Empty if it cannot be recorded. Relaxed mode: libraries may load modules and allocate memory
// while their calls are recorded. A call that a library refuses here may still work unrecorded;
// otherwise it fails again then.
RecordedGraph GpuMachine::capture(const std::function<void()>& enqueue_all) {
    if (cudaStreamBeginCapture(queue_.stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) {
        return nullptr;
    }
    cudaGraph_t graph = nullptr;
    const auto end = [&] {
        stream_->is_recording = false;
        const cudaError_t ended = cudaStreamEndCapture(queue_.stream, &graph);
        RecordedGraph recorded(graph);
        return ended == cudaSuccess ? std::move(recorded) : nullptr;
    };
    stream_->is_recording = true;
    try {
        enqueue_all();
    } catch (const DeviceError&) {
        end();
        return nullptr;
    } catch (...) {
        end();
        throw;
    }
    return end();
}

std::unique_ptr<Replay> GpuMachine::record(const std::function<void()>& enqueue_all) {
    stream_->require_device("recording an iteration");
    RecordedGraph graph = capture(enqueue_all);
    std::vector<SharedMemory> scratch = std::exchange(outgrown_, {});
    scratch.push_back(workspace_);
    cudaGraphExec_t executable = nullptr;
    if (graph == nullptr || cudaGraphInstantiate(&executable, graph.get(), 0) != cudaSuccess) {
        graph.reset();
        require_usable();
        return nullptr;
    }
    if (cudaGraphUpload(executable, queue_.stream) != cudaSuccess) {
        (void)cudaGetLastError();  // the first launch uploads it, or reports the error
    }
    return std::make_unique<GraphReplay>(std::move(graph), executable, stream_, std::move(scratch));
}

// After a failed recording the stream must accept work again.
void GpuMachine::require_usable() {
    (void)cudaGetLastError();
    const cudaError_t state = cudaStreamQuery(queue_.stream);
    if (state != cudaErrorNotReady) {
        require_cuda(state, "recording an iteration");
    }
    (void)cudaGetLastError();  // "not ready" is not an error
}

void GpuMachine::stamp(std::size_t number) {
    stream_->require_device("stamping the time");
    while (stamps_.size() <= number) {
        cudaEvent_t event = nullptr;
        require_cuda(cudaEventCreate(&event), "making a time stamp");
        stamps_.push_back(event);
    }
    // External event: repeating the recording takes the stamp, which can be queried like any other.
    require_cuda(cudaEventRecordWithFlags(
                     stamps_[number], queue_.stream,
                     stream_->is_recording ? cudaEventRecordExternal : cudaEventRecordDefault),
                 "stamping the time");
}

// Also called after the device was lost, to describe the run.
std::optional<std::size_t> GpuMachine::free_memory() const {
    std::size_t free = 0;
    std::size_t total = 0;
    if (device_hangs() || cudaMemGetInfo(&free, &total) != cudaSuccess) {
        return {};
    }
    return free;
}

// Waits for the stream, not for the stamp: it is not documented that a launch resets the stamps in
// its recording, and one that is not reset gives the time of the previous repetition.
Seconds GpuMachine::between(std::size_t earlier, std::size_t later) {
    wait();
    float milliseconds = 0;
    require_cuda(cudaEventElapsedTime(&milliseconds, stamps_[earlier], stamps_[later]),
                 "reading a time stamp");
    return {milliseconds * 1e-3};
}

void GpuMachine::wait() {
    stream_->wait("waiting for the GPU");
}

}  // namespace

std::shared_ptr<Machine> open_gpu() {
    int driver = 0;
    require_cuda(cudaDriverGetVersion(&driver), "looking for a GPU");
    if (driver == 0) {
        throw DeviceError(DeviceTrouble::no_driver,
                          "this machine has no NVIDIA driver (libcuda.so.1); install it, or run "
                          "strata where there is a GPU");
    }
    int devices = 0;
    require_cuda(cudaGetDeviceCount(&devices), "looking for a GPU");
    return std::make_shared<GpuMachine>();
}

}  // namespace strata::cuda

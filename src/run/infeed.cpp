// SPDX-License-Identifier: MIT
#include "run/infeed.h"

#include "base/error.h"
#include "base/text.h"
#include "image/batch_maker.h"
#include "measure/infeed.h"

#include <fmt/format.h>

namespace strata {

namespace {

// A network whose images are made while it runs.
class FedNetwork final : public Infeed {
public:
    FedNetwork(const ImageFeed& feed, const Run& run, const InfeedRequest& request,
               Executable& executable)
        : feed_(feed),
          executable_(executable),
          maker_(feed.collection, feed.shape, static_cast<std::size_t>(run.settings.batch),
                 request.threads, run.settings.execution.numerics.seed) {}

    void begin_batch() override { maker_.begin(); }
    BatchTimes finish_batch() override { return maker_.finish(); }
    void copy_batch() override { executable_.write(feed_.input, Content::value, maker_.values()); }
    void run_step() override { executable_.run(); }

private:
    const ImageFeed& feed_;
    Executable& executable_;
    BatchMaker maker_;
};

bool takes_images(const Tensor& tensor) {
    const Dims& dims = tensor.dims;
    return dims.size() == 4 && (dims[1] == 1 || dims[1] == 3) && tensor.elements() > 0 &&
           is_floating(tensor.dtype);
}

std::string described_inputs(const Graph& graph) {
    std::vector<std::string> texts;
    for (const TensorId id : graph.inputs) {
        const GraphTensor& input = graph.tensors[id];
        if (input.role == Role::input) {
            texts.push_back(fmt::format("{} ({} {})", printable(input.name),
                                        to_text(input.tensor.dims), name_of(input.tensor.dtype)));
        }
    }
    return texts.empty() ? "nothing" : join(texts, ", ");
}

}  // namespace

TensorId image_input(const Graph& graph) {
    std::vector<TensorId> found;
    std::size_t others = 0;
    for (const TensorId id : graph.inputs) {
        const GraphTensor& input = graph.tensors[id];
        if (input.role == Role::input && takes_images(input.tensor)) {
            found.push_back(id);
        } else if (input.role == Role::input) {
            ++others;
        }
    }
    if (found.size() != 1 || others > 0) {
        throw Error(
            fmt::format("{} takes {}, which is not one batch of images (of 1 or 3 channels, "
                        "height and width): omit --infeed",
                        printable(graph.name), described_inputs(graph)),
            ExitCode::usage);
    }
    return found.front();
}

ImageFeed image_feed(const InfeedRequest& request, const Graph& graph, std::uint64_t seed) {
    const TensorId input = image_input(graph);
    const Dims& dims = graph.tensors[input].tensor.dims;
    return {
        .collection = request.folder.empty() ? synthetic_images(seed) : read_images(request.folder),
        .input = input,
        .shape = {.channels = dims[1], .height = dims[2], .width = dims[3]}};
}

void feed_into(Run& run, const ImageFeed& feed, Executable& executable, const Job& job,
               const Observer& observer) {
    if (executable.device_memory()) {
        throw Error(fmt::format("--infeed measures engines that compute in this process, but {} "
                                "does not: choose --backend onednn",
                                run.settings.backend),
                    ExitCode::usage);
    }
    observer.tell("feeding with images");
    executable.settle();
    FedNetwork network(feed, run, *job.infeed, executable);
    SteadyClock clock;
    SampledInfeed times = sample_infeed(
        network, job.policy, clock, [&] { return observer.is_stopped(); },
        [&](double fraction) { observer.tell("feeding with images", fraction); });
    if (times.reason == StopReason::interrupted) {
        run.state = RunState::partial;
        return;
    }
    run.infeed = {.source = feed.collection.name,
                  .images = static_cast<std::int64_t>(feed.collection.images.size()),
                  .encoded = feed.collection.bytes(),
                  .pixels = feed.collection.pixels,
                  .threads = job.infeed->threads,
                  .times = std::move(times)};
}

}  // namespace strata

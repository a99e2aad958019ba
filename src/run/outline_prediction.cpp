// SPDX-License-Identifier: MIT
#include "run/outline_prediction.h"

#include "base/error.h"
#include "graph/executed.h"
#include "op/convention.h"
#include "predict/ceilings.h"

#include <algorithm>
#include <span>

namespace strata {

OutlinePredictor::OutlinePredictor(const DeviceModel& device, const Execution& execution,
                                   const LayerTable& table)
    : device_(&device),
      ceilings_(ceilings_of(device.device())),
      table_(&table),
      execution_(execution),
      update_(cost_of(execution.numerics.optimizer)) {
    check(execution.engine.fusion == Fusion::none, "an outline has no fused layers");
}

OutlinePredictor::Step OutlinePredictor::found(const Kernels& kernels) const {
    Step step{.is_known = true};
    if (!kernels.empty()) {
        step.issue = kernels.front().issue;
        step.first = kernels.front().time;
        step.others = time_of(std::span(kernels).subspan(1));
    }
    for (const KernelPrediction& kernel : kernels) {
        step.workspace = std::max(step.workspace, kernel.workspace);
    }
    return step;
}

const OutlinePredictor::Step& OutlinePredictor::step_of(KindId id, Pass pass) {
    if (id >= steps_.size()) {
        steps_.resize(table_->kinds());
    }
    Step& known = steps_[id][static_cast<std::size_t>(pass)];
    if (known.is_known) {
        return known;
    }
    const LayerKind& kind = table_->kind(id);
    const Signature signature = executed(kind.signature, execution_.numerics);
    const LayerPrediction prediction =
        predict_within(*device_, ceilings_, {kind.op, signature, pass, execution_});
    const auto* kernels = std::get_if<Kernels>(&prediction);
    if (kernels == nullptr) {
        known = {.is_known = true, .is_refused = true};
        return known;
    }
    known = found(*kernels);
    if (!kernels->empty()) {  // else its result is its input, so there is no work
        const Work work = work_of(kind.op, signature, pass, update_);
        known.work = {.flops = count(kind.op, signature, pass, conventions().front(), update_),
                      .read = work.read,
                      .written = work.written};
    }
    return known;
}

const OutlinePredictor::Step& OutlinePredictor::sum_of(ShapeId id) {
    if (id >= sums_.size()) {
        sums_.resize(table_->shapes());
    }
    Step& known = sums_[id];
    if (!known.is_known) {
        Tensor tensor = table_->shape(id);
        tensor.dtype = execution_.numerics.dtype;
        known = found(sum_of_gradients(tensor, execution_, *device_, ceilings_));
        const Bytes half = 3 * tensor.bytes() / 2;
        known.work = {.flops = {}, .read = half, .written = half};
    }
    return known;
}

FedValues OutlinePredictor::fed_by(const Outline& outline) const {
    FedValues fed;
    for (const OutlineTensor& tensor : outline.tensors) {
        fed.samples += tensor.role == Role::input ? values_of(table_->shape(tensor.shape)) : 0.0;
    }
    if (execution_.numerics.mode == Mode::training) {
        for (const KindId id : outline.layers) {
            const LayerKind& kind = table_->kind(id);
            if (std::holds_alternative<SoftmaxCrossEntropy>(kind.op)) {
                fed.classes += values_of(kind.signature.inputs.front().tensor);
            }
        }
    }
    return fed;
}

std::optional<WholePrediction> OutlinePredictor::predict(const Outline& outline,
                                                         const Structure& structure) {
    WholePrediction whole;
    times_.clear();
    IssueQueue queue;
    for (const ScheduledStep& scheduled : structure.steps()) {
        const Step& step = scheduled.summed
                               ? sum_of(outline.tensors[*scheduled.summed].shape)
                               : step_of(outline.layers[scheduled.task.layer], scheduled.task.pass);
        if (step.is_refused) {
            return std::nullopt;
        }
        const Seconds wait = queue.wait(step.issue, step.others + step.first);
        times_.push_back(step.others + (step.first + wait));
        whole.time += times_.back();
        whole.workspace = std::max(whole.workspace, step.workspace);
        whole.work.flops += step.work.flops;
        whole.work.read += step.work.read;
        whole.work.written += step.work.written;
    }
    const Seconds beyond = device_->beyond_steps(whole.time, fed_by(outline));
    if (beyond != Seconds{}) {  // added up from there, like NetworkPrediction::time
        whole.time = beyond;
        for (const Seconds time : times_) {
            whole.time += time;
        }
    }
    return whole;
}

}  // namespace strata

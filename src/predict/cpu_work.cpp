// SPDX-License-Identifier: MIT
#include "predict/cpu_work.h"

#include "graph/executed.h"
#include "op/rules.h"
#include "predict/layer_products.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::int64_t register_width = 16;  // floats; convolutions pad channels to it
constexpr std::int64_t few_input_channels = 4;
constexpr std::int64_t half_register_width = 8;
constexpr std::int64_t usual_window = 9;
// The results of a product that one core computes at a time, and the elements of a tensor.
constexpr double results_of_a_piece = 256;
constexpr double elements_of_a_piece = 4096;

// Inference has kernels of its own, because its parameters do not change.
std::string with_pass(std::string_view kind, const LayerTask& task) {
    const bool answers =
        task.pass == Pass::forward && task.execution.numerics.mode == Mode::inference;
    return fmt::format("{} {}", kind, answers ? "inference" : name_of(task.pass));
}

// Convolutions with different loops have their own rates. oneDNN computes some gradients of large
// depthwise windows, and of groups that do not fill registers, in plain loops.
std::string convolution_kind(const Convolution& op, const Signature& signature) {
    const std::int64_t channels = signature.inputs[0].tensor.dims[1];
    if (op.groups > 1 && op.groups == channels) {
        return product(op.kernel) > usual_window ? "wide-depthwise" : "depthwise";
    }
    if (op.groups > 1) {
        const bool fills = channels / op.groups % half_register_width == 0 &&
                           op.out_channels / op.groups % half_register_width == 0;
        return fills ? "grouped" : "narrow-grouped";
    }
    return channels <= few_input_channels ? "few-channel"
           : product(op.kernel) == 1      ? "pointwise"
                                          : "convolution";
}

std::string product_kind(const Op& op, const Signature& signature) {
    if (const auto* convolution = std::get_if<Convolution>(&op)) {
        return convolution_kind(*convolution, signature);
    }
    if (const auto* recurrent = std::get_if<Recurrent>(&op)) {
        return recurrent->cell == CellKind::lstm  ? "lstm"
               : recurrent->cell == CellKind::gru ? "gru"
                                                  : "recurrent";
    }
    return std::holds_alternative<TransposedConvolution>(op) ? "convolution"
                                                             : std::string(type_of(op));
}

std::int64_t padded(std::int64_t extent) {
    return (extent + register_width - 1) / register_width * register_width;
}

Bytes parameter_bytes(const Signature& signature) {
    Bytes sum;
    for (const Operand& operand : signature.inputs) {
        sum += operand.role == Role::parameter ? operand.tensor.bytes() : Bytes{};
    }
    return sum;
}

double number(std::int64_t extent) {
    return static_cast<double>(extent);
}

constexpr double flops_per_multiply_add = 2;

// A convolution's loops: its sums run over channels and window (forward), filters and window
// (backward_data), or images and results (backward_weights), and a filter in registers is used
// along a row of results. The gradient of the images takes as many operations as the forward pass.
CpuWork convolution_work(const WindowExtents& x, Bytes weights) {
    const std::int64_t channels = x.groups * x.channels, filters = x.groups * x.filters;
    const bool is_depthwise = x.groups > 1 && x.channels == 1 && x.filters == 1;
    const bool is_data = x.pass == Pass::backward_data;
    // Images are stored in blocks of as many channels as a register holds.
    const std::int64_t loops = is_depthwise    ? padded(x.groups)
                               : x.groups == 1 ? padded(x.filters) * x.channels
                                               : x.groups * x.filters * x.channels;
    // (A whole register of filters is computed, so fewer filters take as long.)
    const std::int64_t columns = is_data         ? x.channels
                                 : x.groups == 1 ? std::max(x.filters, register_width)
                                                 : x.filters;
    CpuWork work;
    work.is_product = true;
    work.operations = flops_per_multiply_add * number(loops) * number(x.outputs) * number(x.window);
    work.sum = number(x.pass == Pass::forward ? x.channels * x.window
                      : is_data               ? x.filters * x.window
                                              : x.outputs);
    work.row = number(x.row);
    work.columns = number(is_depthwise ? x.groups : columns);
    work.parameters = weights;
    // (Of all computed registers, filled or not.)
    const double results =
        is_data ? number(x.pixels) * number(channels) : number(x.outputs) * number(padded(filters));
    work.independent = results / results_of_a_piece;
    return work;
}

CpuWork gemm_work(const LayerProduct& product) {
    const GemmProblem& p = product.problem;
    CpuWork work;
    work.is_product = true;
    work.operations =
        flops_per_multiply_add * number(p.batch) * number(p.m) * number(p.n) * number(p.k);
    work.sum = number(p.k);
    work.row = number(p.m);
    work.columns = number(p.n);
    work.repeats = product.repeats;
    work.parameters = Bytes{4 * number(p.n) * number(p.k)};
    work.independent = number(p.batch) * number(p.m) * number(p.n) / results_of_a_piece;
    return work;
}

// The products of a task, without families and traffic; nothing for an operator without products.
std::optional<std::vector<CpuWork>> products_on_cpu(const LayerTask& task) {
    const Signature& s = task.signature;
    if (task.pass == Pass::update) {
        return std::nullopt;
    }
    if (const auto window = window_extents(task.op, s, task.pass)) {
        return std::vector{convolution_work(*window, s.inputs[1].tensor.bytes())};
    }
    auto products = layer_products(task.op, s, task.pass);
    if (!products) {
        return std::nullopt;
    }
    if (const auto* op = std::get_if<Recurrent>(&task.op)) {
        std::ranges::move(step_products_of(*op, s, task.pass), std::back_inserter(*products));
    }
    std::vector<CpuWork> works;
    std::ranges::transform(*products, std::back_inserter(works), gemm_work);
    return works;
}

// Divides the pass's compulsory traffic among its products; each gets parameters by its extents.
void add_traffic(const LayerTask& task, std::vector<CpuWork>& works) {
    const Bytes traffic = work_of(task.op, task.signature, task.pass).traffic();
    const Bytes parameters = std::min(parameter_bytes(task.signature), traffic);
    const auto count = static_cast<double>(works.size());
    Bytes of_products;
    for (const CpuWork& work : works) {
        of_products += work.parameters;
    }
    for (CpuWork& work : works) {
        // A recurrent layer multiplies all inputs at once, like a fully connected layer.
        const bool is_of_inputs = std::holds_alternative<Recurrent>(task.op) &&
                                  task.pass != Pass::backward_weights && work.repeats == 1;
        work.family = with_pass(
            is_of_inputs ? "fully_connected" : product_kind(task.op, task.signature), task);
        work.parameters *= parameters / of_products;
        work.streamed = (traffic - parameters) / (count * work.repeats);
    }
}

double elements_of(const Signature& signature) {
    std::int64_t most = 0;
    for (const Operand& operand : signature.inputs) {
        most = operand.role == Role::parameter ? most : std::max(most, operand.tensor.elements());
    }
    for (const Tensor& output : signature.outputs) {
        most = std::max(most, output.elements());
    }
    return static_cast<double>(most);
}

double total_of(const Operations& o) {
    return o.multiply_adds + o.adds + o.multiplies + o.divides + o.compares + o.transcendentals;
}

// A gradient that is passed on unchanged also needs no step of its own.
bool is_idle(const LayerTask& task) {
    const auto* sum = std::get_if<Elementwise>(&task.op);
    const Dims& result = task.signature.outputs.front().dims;
    const bool passes_on = sum != nullptr && sum->kind == ElementwiseKind::add &&
                           task.pass == Pass::backward_data &&
                           std::ranges::all_of(task.signature.inputs, [&](const Operand& operand) {
                               return !receives_gradient(operand) || operand.tensor.dims == result;
                           });
    return passes_on || renames_input(task.op, task.pass, task.execution.numerics.mode);
}

std::vector<CpuWork> stream_of(const LayerTask& task) {
    const bool is_update = task.pass == Pass::update;
    const Work work =
        work_of(task.op, task.signature, task.pass, cost_of(task.execution.numerics.optimizer));
    if (!(work.traffic() > Bytes{})) {
        return {};
    }
    const double elements =
        is_update ? parameter_bytes(task.signature).value / 4 : elements_of(task.signature);
    CpuWork found{.family = with_pass(
                      is_update ? product_kind(task.op, task.signature) : kind_of(task.op), task),
                  .operations = std::max(total_of(work.operations), elements),
                  .parameters = {},
                  .streamed = work.traffic(),
                  .independent = elements / elements_of_a_piece};
    // A batch or layer normalisation computes its parameters' gradients together with its input's.
    const bool comes_with_data = task.pass == Pass::backward_weights &&
                                 (std::holds_alternative<BatchNormalization>(task.op) ||
                                  std::holds_alternative<LayerNormalization>(task.op) ||
                                  std::holds_alternative<GroupNormalization>(task.op));
    return comes_with_data ? std::vector<CpuWork>() : std::vector<CpuWork>{found};
}

}  // namespace

std::vector<CpuWork> work_on_cpu(const LayerTask& task) {
    if (is_idle(task)) {
        return {};
    }
    auto products = products_on_cpu(task);
    if (!products) {
        return stream_of(task);
    }
    add_traffic(task, *products);
    return *std::move(products);
}

std::optional<Signature> beyond_few_channels(const LayerTask& task) {
    const auto* op = std::get_if<Convolution>(&task.op);
    if (op == nullptr || op->groups > 1 ||
        task.signature.inputs[0].tensor.dims[1] > few_input_channels) {
        return std::nullopt;
    }
    Signature wider = task.signature;
    wider.inputs[0].tensor.dims[1] = few_input_channels + 1;
    wider.inputs[1].tensor.dims[1] = few_input_channels + 1;
    return wider;
}

std::optional<CpuWork> reorder_on_cpu(const LayerTask& task) {
    const auto* convolution = std::get_if<Convolution>(&task.op);
    const bool changes =
        task.pass == Pass::backward_data && task.execution.numerics.mode == Mode::training;
    if (!changes || (convolution == nullptr && !std::holds_alternative<Recurrent>(task.op)) ||
        (convolution != nullptr && convolution->groups > 1)) {
        return std::nullopt;
    }
    const Bytes weights = parameter_bytes(task.signature);
    return CpuWork{.family = product_kind(task.op, task.signature) + " reorder",
                   .operations = weights.value / 4,
                   .parameters = {},
                   .streamed = 2 * weights,
                   .independent = weights.value / 4 / elements_of_a_piece};
}

}  // namespace strata

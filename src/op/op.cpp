// SPDX-License-Identifier: MIT
#include "op/op.h"

#include "op/moved.h"
#include "op/operator.h"
#include "op/picked.h"
#include "op/rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

Op::Op() = default;
Op::Op(const Op& other) = default;
Op::Op(Op&& other) noexcept = default;
Op& Op::operator=(const Op& other) = default;
Op& Op::operator=(Op&& other) noexcept = default;
Op::~Op() = default;

namespace {

bool is_parameter(const Operand& operand) {
    return operand.role == Role::parameter;
}

// Values that flow through the network, not the operator's own.
bool is_data(const Operand& operand) {
    return operand.role != Role::parameter && operand.role != Role::statistic;
}

Bytes output_bytes(const Signature& signature) {
    Bytes sum;
    for (const Tensor& output : signature.outputs) {
        sum += output.bytes();
    }
    return sum;
}

// Calls move(bytes, is written) for each operand that a pass must read and each result, once.
// Besides the gradient of the output, a backward pass reads what the operator's `reads()` says and
// the `saved` bytes of the forward pass.
template <class Move>
class Moves {
public:
    Moves(const Op& op, const Signature& signature, Move move)
        : op_(op), reads_(reads_of(op)), signature_(signature), move_(std::move(move)) {}

    void visit(Pass pass) const {
        if (pass == Pass::forward) {
            forward();
        } else if (pass == Pass::backward_data) {
            backward_data();
        } else if (pass == Pass::backward_weights) {
            backward_weights();
        }  // the optimizer decides what an update moves: update_work
    }

private:
    template <class Chosen>
    void operands(Chosen chosen, bool is_written) const {
        for (const Operand& operand : signature_.inputs) {
            if (chosen(operand)) {
                move_(operand.tensor.bytes(), is_written);
            }
        }
    }

    void outputs(bool is_written) const {
        for (const Tensor& output : signature_.outputs) {
            move_(output.bytes(), is_written);
        }
    }

    // An operand that is picked from counts for at most the bytes written.
    void forward() const {
        const auto picked = picked_operand(op_);
        for (std::size_t i = 0; i < signature_.inputs.size(); ++i) {
            const Bytes whole = signature_.inputs[i].tensor.bytes();
            move_(picked == i ? std::min(whole, output_bytes(signature_)) : whole, false);
        }
        outputs(true);
    }

    void backward_data() const {
        outputs(false);
        move_(saved_bytes_of(op_, signature_), false);
        if (reads_.input_for_data) {
            data(std::ranges::count_if(signature_.inputs, receives_gradient) == 1);
        }
        if (reads_.output_for_data) {
            outputs(false);
        }
        if (reads_.parameters_for_data) {
            weights();
        }
        operands(receives_gradient, true);
    }

    void backward_weights() const {
        outputs(false);
        if (reads_.input_for_weights) {
            operands(is_data, false);
        }
        operands(is_parameter, true);
    }

    // A product does not read an operand that is the only one to receive a gradient.
    void data(bool has_one_receiver) const {
        operands(
            [&](const Operand& operand) {
                const bool is_only = has_one_receiver && receives_gradient(operand);
                return is_data(operand) && !(reads_.only_others_for_data && is_only);
            },
            false);
    }

    // The weights, or else the scale. Biases and shifts follow it, and no gradient depends on
    // them.
    void weights() const {
        const auto is_weight = [](const Operand& operand) {
            return is_parameter(operand) && operand.tensor.dims.size() > 1;
        };
        if (std::ranges::any_of(signature_.inputs, is_weight)) {
            operands(is_weight, false);
        } else if (const auto found = std::ranges::find_if(signature_.inputs, is_parameter);
                   found != signature_.inputs.end()) {
            move_(found->tensor.bytes(), false);
        }
    }

    const Op& op_;
    BackwardReads reads_;
    const Signature& signature_;
    Move move_;
};

bool moves_nothing(const Op& op) {
    return std::holds_alternative<Reshape>(op) || !is_counted(op);
}

// The operator's own name for an operand: "weight", "mean"; empty for an activation.
std::string operand_name(const Op& op, const Signature& signature, std::size_t operand) {
    const std::array first = {signature.inputs.front().tensor};
    const auto parameters = parameters_of(op, first);
    if (parameters.size() > signature.inputs.size()) {
        return {};
    }
    const std::size_t activations = signature.inputs.size() - parameters.size();
    return operand < activations ? std::string() : parameters[operand - activations].name;
}

Draw draw_of_label(const Signature& signature) {
    const Dims& scores = signature.inputs.front().tensor.dims;
    return {Distribution::classes, scores.size() < 2 ? 1.0 : static_cast<double>(scores[1])};
}

// An output sums over all weight axes but the first (output channels, features).
Draw draw_by_name(std::string_view name, const Tensor& tensor) {
    if (name.starts_with("bias") || name == "shift" || name == "mean") {
        return {Distribution::zero};
    }
    if (name == "scale" || name == "variance") {
        return {Distribution::one};
    }
    return he_normal(tensor.dims.empty() ? 1 : product(std::span(tensor.dims).subspan(1)));
}

}  // namespace

Draw he_normal(std::int64_t fan_in) {
    return {Distribution::normal,
            std::sqrt(2.0 / static_cast<double>(std::max<std::int64_t>(fan_in, 1)))};
}

std::string_view type_of(const Op& op) {
    return std::visit([](const auto& one) { return one.type; }, op);
}

std::string kind_of(const Op& op) {
    return std::visit(
        []<class T>(const T& one) {
            if constexpr (requires { &T::kind_name; }) {
                return one.kind_name();
            } else {
                return std::string(T::type);
            }
        },
        op);
}

std::vector<ParameterShape> parameters_of(const Op& op, std::span<const Tensor> activations) {
    return std::visit([&](const auto& one) { return one.parameters(activations); }, op);
}

std::vector<Tensor> outputs_of(const Op& op, std::span<const Tensor> inputs) {
    return std::visit([&](const auto& one) { return one.outputs(inputs); }, op);
}

std::optional<std::size_t> picked_operand(const Op& op) {
    if (std::holds_alternative<Embedding>(op)) {
        return 1;
    }
    const bool is_part = std::holds_alternative<Gather>(op) || std::holds_alternative<Slice>(op);
    return is_part ? std::optional<std::size_t>(0) : std::nullopt;
}

BackwardReads reads_of(const Op& op) {
    return std::visit([](const auto& one) { return one.reads(); }, op);
}

Bytes saved_bytes_of(const Op& op, const Signature& signature) {
    return std::visit(
        [&]<class T>(const T& one) {
            if constexpr (requires { &T::saved_bytes; }) {
                return one.saved_bytes(signature);
            } else {
                Bytes sum;
                for (const Tensor& output : signature.outputs) {
                    sum += Bytes{one.reads().saved_bytes_per_output * count_of(output)};
                }
                return sum;
            }
        },
        op);
}

Draw draw_of(const Op& op, const Signature& signature, std::size_t operand) {
    const auto stated = std::visit(
        [&]<class T>(const T& one) -> std::optional<Draw> {
            if constexpr (requires { &T::draw; }) {
                return one.draw(signature, operand);
            } else {
                return std::nullopt;
            }
        },
        op);
    const auto& [tensor, role] = signature.inputs[operand];
    if (stated) {
        return *stated;
    }
    if (role == Role::label) {
        return draw_of_label(signature);
    }
    return is_owned(role) ? draw_by_name(operand_name(op, signature, operand), tensor) : Draw{};
}

std::optional<std::int64_t> rows_indexed_by(const Op& op, const Signature& signature,
                                            std::size_t operand) {
    return std::visit(
        [&]<class T>(const T& one) -> std::optional<std::int64_t> {
            if constexpr (requires { &T::rows_indexed; }) {
                return one.rows_indexed(signature, operand);
            } else {
                return std::nullopt;
            }
        },
        op);
}

SumShape forward_sum(const Op& op, const OperandValues& values) {
    return std::visit(
        [&]<class T>(const T& one) {
            if constexpr (requires { &T::forward_sum; }) {
                return one.forward_sum(values);
            } else {
                return SumShape();
            }
        },
        op);
}

SumShape gradient_sum(const Op& op, const OperandValues& values, std::size_t operand) {
    return std::visit(
        [&]<class T>(const T& one) {
            if constexpr (requires { &T::gradient_sum; }) {
                return one.gradient_sum(values, operand);
            } else {
                return SumShape{.length = 1, .magnitude = values.rms_gradient()};
            }
        },
        op);
}

SumShape statistic_sum(const Op& op, const OperandValues& values, std::size_t operand) {
    return std::visit(
        [&]<class T>(const T& one) {
            if constexpr (requires { &T::statistic_sum; }) {
                return one.statistic_sum(values, operand);
            } else {
                return SumShape{.length = forward_sum(op, values).length};
            }
        },
        op);
}

bool is_counted(const Op& op) {
    const auto* opaque = std::get_if<Opaque>(&op);
    return opaque == nullptr || opaque->is_counted;
}

bool has_pass(const Op& op, const Signature& signature, Pass pass) {
    if (pass == Pass::forward) {
        return true;
    }
    if (std::holds_alternative<Opaque>(op)) {
        return false;
    }
    if (pass == Pass::backward_data) {
        return std::ranges::any_of(signature.inputs, receives_gradient);
    }
    return std::ranges::find(signature.inputs, Role::parameter, &Operand::role) !=
           signature.inputs.end();
}

Work work_of(const Op& op, const Signature& signature, Pass pass, const UpdateCost& update) {
    if (!has_pass(op, signature, pass)) {
        return {};
    }
    if (pass == Pass::update) {
        return update_work(signature, update);
    }
    Work work;
    work.operations =
        std::visit([&](const auto& one) { return one.operations(signature, pass); }, op);
    if (!moves_nothing(op)) {
        Moves(op, signature, [&](Bytes bytes, bool is_written) {
            (is_written ? work.written : work.read) += bytes;
        }).visit(pass);
    }
    return work;
}

std::vector<Moved> moved_by(const Op& op, const Signature& signature, Pass pass,
                            const UpdateCost& update) {
    std::vector<Moved> moved;
    if (pass == Pass::update || !has_pass(op, signature, pass)) {
        const Work work = work_of(op, signature, pass, update);
        moved = {{work.read, false}, {work.written, true}};
    } else if (!moves_nothing(op)) {
        Moves(op, signature, [&](Bytes bytes, bool is_written) {
            moved.push_back({bytes, is_written});
        }).visit(pass);
    }
    std::erase_if(moved, [](const Moved& one) { return one.bytes == Bytes{}; });
    return moved;
}

}  // namespace strata

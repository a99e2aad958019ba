// SPDX-License-Identifier: MIT
#include "view/measured_problems.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "op/problem.h"
#include "predict/layer_products.h"
#include "predict/layer_streams.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace strata {

namespace {

// The header of each kind, up to the columns that all have.
constexpr std::array<std::string_view, 3> headers = {
    "device,precision,m,n,k,a_transposed,b_transposed",
    "device,precision,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,dilation_h,dilation_w,groups,"
    "pass",
    "device,precision,batch,heads,kv_heads,queries,keys,width,mask,pass,algorithm,library"};
constexpr std::string_view common_header = ",milliseconds,steps,implementation,network,layer";

constexpr std::string_view no_time = "without a time";
constexpr std::string_view delayed = "delayed by other programs";
constexpr std::string_view not_alone = "of several kernels";
constexpr std::string_view fused = "fused with other layers";
constexpr std::string_view own_kernel = "by strata's own kernels";
constexpr std::string_view batched = "products in a batch";
constexpr std::string_view no_form = "that no table can describe";
constexpr std::string_view too_short = "too short beside their time stamps";
constexpr std::string_view unknown_stamps = "in runs that did not time an empty step";

// A name that a field of such a table can hold.
std::string field(std::string_view name) {
    std::string text = printable(name);
    std::ranges::replace_if(
        text, [](char c) { return c == ',' || c == '"'; }, ' ');
    return text;
}

// The described device that the driver calls so, or else the driver's name for it.
std::string device_of(const Run& run) {
    const std::string key = "gpu.name";
    const auto found = run.provenance.find(key);
    if (found == run.provenance.end()) {
        return "";
    }
    const auto described = description_called(found->second);
    return described ? described->name : field(found->second);
}

std::string_view precision_of(Arithmetic arithmetic, const Run& run) {
    const bool is_narrowed =
        run.settings.execution.numerics.single_precision == SinglePrecision::tf32;
    switch (arithmetic) {
        case Arithmetic::f16:
            return "fp16_mixed";
        case Arithmetic::bf16:
            return "bf16_mixed";
        case Arithmetic::f8:
            return "fp8";
        case Arithmetic::i8:
            return "int8";
        default:
            return is_narrowed ? "tf32" : "fp32";
    }
}

// A problem's fields after its device, or why there are none.
struct ProblemText {
    std::string fields = {};
    std::string_view reason = {};
};

ProblemText without(std::string_view reason) {
    return {.reason = reason};
}

template <class Operator>
ProblemText product_text(const Operator& op, const Signature& signature, const StepResult& step,
                         const Run& run) {
    const auto arithmetic = arithmetic_of(signature.inputs.front().tensor.dtype);
    const std::vector<LayerProduct> products = products_of(op, signature, step.pass);
    if (!arithmetic || products.empty()) {
        return without(no_form);
    }
    const GemmProblem& p = products.front().problem;
    if (products.size() > 1 || p.batch > 1) {
        return without(products.size() > 1 ? not_alone : batched);
    }
    // (The form is by columns: its rows are our columns.)
    return {fmt::format("{},{},{},{},{},{}", precision_of(*arithmetic, run), p.n, p.m, p.k,
                        p.b_is_transposed ? 'T' : 'N', p.a_is_transposed ? 'T' : 'N')};
}

template <class Operator>
ProblemText convolution_text(const Operator& op, const Signature& signature, const StepResult& step,
                             const Run& run) {
    const auto a = convolution_of(op, signature, step.pass);
    if (!a) {
        return without(no_form);
    }
    return {fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                        precision_of(a->arithmetic, run), a->n, a->c, a->h, a->w, a->k, a->r, a->s,
                        a->pad_h, a->pad_w, a->stride_h, a->stride_w, a->dilation_h, a->dilation_w,
                        a->groups, name_of(a->pass))};
}

ProblemText attention_text(const Attention& op, const Signature& signature, const StepResult& step,
                           const Run& run) {
    const auto a = attention_of(op, signature, step.pass);
    if (!a) {
        return without(no_form);
    }
    if (!step.algorithm.starts_with(name_of(AttentionAlgorithm::fused))) {
        return without(not_alone);
    }
    return {fmt::format("{},{},{},{},{},{},{},{},{},{},{}", precision_of(a->arithmetic, run),
                        a->batch, a->heads, a->kv_heads == 0 ? a->heads : a->kv_heads, a->queries,
                        a->keys, a->width, name_of(a->mask), name_of(a->pass),
                        name_of(AttentionAlgorithm::fused), field(run.settings.backend))};
}

template <class Operator>
constexpr std::optional<ProblemKind> kind_of_operator() {
    if constexpr (std::is_same_v<Operator, FullyConnected> || std::is_same_v<Operator, MatMul>) {
        return ProblemKind::products;
    } else if constexpr (std::is_same_v<Operator, Convolution> ||
                         std::is_same_v<Operator, TransposedConvolution>) {
        return ProblemKind::convolutions;
    } else if constexpr (std::is_same_v<Operator, Attention>) {
        return ProblemKind::attention;
    } else {
        return {};
    }
}

// A product adds its bias as it writes its result; every other bias is a kernel of its own.
bool has_kernel_for_bias(const Op& op, Pass pass) {
    const bool is_alone = pass == Pass::forward && std::holds_alternative<FullyConnected>(op);
    return adds_bias(op) && pass != Pass::backward_data && !is_alone;
}

std::optional<Problem> problem_of_step(const StepResult& step) {
    try {
        return parse_problem(step.problem);
    } catch (const Error&) {  // of an imported operator, or of another version
        return {};
    }
}

ProblemText text_of(const Problem& problem, const StepResult& step, const Run& run) {
    const Signature signature = signature_of(problem);
    return std::visit(
        [&](const auto& op) {
            using Operator = std::decay_t<decltype(op)>;
            constexpr auto kind = kind_of_operator<Operator>();
            if constexpr (kind == ProblemKind::products) {
                return product_text(op, signature, step, run);
            } else if constexpr (kind == ProblemKind::convolutions) {
                return convolution_text(op, signature, step, run);
            } else if constexpr (kind == ProblemKind::attention) {
                return attention_text(op, signature, step, run);
            } else {
                return without(no_form);
            }
        },
        problem.op);
}

std::optional<ProblemKind> kind_of_problem(const Problem& problem) {
    return std::visit([](const auto& op) { return kind_of_operator<std::decay_t<decltype(op)>>(); },
                      problem.op);
}

// Steps whose time includes another one's.
std::set<std::string, std::less<>> fused_steps(const Run& run) {
    std::set<std::string, std::less<>> found;
    for (const StepResult& step : run.steps) {
        if (const auto* included = std::get_if<Included>(&step.time)) {
            found.insert(included->step);
            found.insert(fmt::format("{} {}", step.layer, name_of(step.pass)));
        }
    }
    return found;
}

// Why a step's time is not that of its library's kernel alone; empty if it is.
std::string_view doubt_about(const StepResult& step, const std::optional<Estimate>& time,
                             const Run& run, double shortest) {
    if (!time) {
        return no_time;
    }
    if (step.implementation_kind == ImplementationKind::own) {
        return own_kernel;
    }
    if (is_inconclusive(time)) {
        return delayed;
    }
    if (!run.empty_step) {
        return unknown_stamps;
    }
    return time->median < shortest * *run.empty_step ? too_short : std::string_view();
}

// The steps with the same problem.
struct SameProblem {
    struct Ran {
        Seconds time;
        std::string implementation;
    };
    std::vector<Ran> steps;
    std::string place;  // network and layer of the first one
};

class TableOfProblems {
public:
    TableOfProblems(ProblemKind kind, double shortest) : kind_(kind), shortest_(shortest) {}

    void add(const Run& run) {
        const std::vector<std::optional<Estimate>> times = step_times(run);
        const auto with_others = fused_steps(run);
        const std::string device = device_of(run);
        for (std::size_t i = 0; i < run.steps.size(); ++i) {
            const StepResult& step = run.steps[i];
            const auto problem = is_pass(step) ? problem_of_step(step) : std::nullopt;
            if (!problem || kind_of_problem(*problem) != kind_) {
                continue;
            }
            std::string_view reason = doubt_about(step, times[i], run, shortest_);
            if (with_others.contains(fmt::format("{} {}", step.layer, name_of(step.pass)))) {
                reason = fused;
            } else if (reason.empty() && has_kernel_for_bias(problem->op, step.pass)) {
                reason = not_alone;
            }
            const ProblemText text =
                reason.empty() ? text_of(*problem, step, run) : without(reason);
            if (text.reason.empty()) {
                add(fmt::format("{},{}", device, text.fields), step, times[i]->median, run);
            } else {
                ++found_.left_out[std::string(text.reason)];
            }
        }
    }

    MeasuredProblems finish() {
        found_.csv =
            fmt::format("{}{}\n", headers.at(static_cast<std::size_t>(kind_)), common_header);
        for (const std::string& key : order_) {
            SameProblem& same = rows_.at(key);
            const auto middle =
                same.steps.begin() + static_cast<std::ptrdiff_t>((same.steps.size() - 1) / 2);
            std::ranges::nth_element(same.steps, middle, {}, &SameProblem::Ran::time);
            found_.csv += fmt::format("{},{:.6g},{},{},{}\n", key, middle->time.value * 1e3,
                                      same.steps.size(), middle->implementation, same.place);
            found_.steps += same.steps.size();
        }
        found_.problems = order_.size();
        return std::move(found_);
    }

private:
    static bool is_pass(const StepResult& step) {
        return step.kind == StepKind::compute && step.pass != Pass::update;
    }

    void add(const std::string& key, const StepResult& step, Seconds time, const Run& run) {
        const auto [at, is_new] = rows_.try_emplace(key);
        if (is_new) {
            order_.push_back(key);
            at->second.place = fmt::format("{},{}", field(run.settings.network), field(step.layer));
        }
        at->second.steps.push_back({time, field(step.implementation)});
    }

    ProblemKind kind_;
    double shortest_;
    MeasuredProblems found_;
    std::map<std::string, SameProblem> rows_;
    std::vector<std::string> order_;
};

}  // namespace

MeasuredProblems measured_problems(std::span<const Run> runs, ProblemKind kind, double shortest) {
    TableOfProblems table(kind, shortest);
    for (const Run& run : runs) {
        if (run.origin != Origin::measured || !run.ran_on_gpu()) {
            throw Error(fmt::format(
                "run {} was not measured on a GPU, whose kernels tables of problems hold; choose "
                "others (strata runs), or fit this processor with strata calibrate --operators",
                run.id));
        }
        table.add(run);
    }
    return table.finish();
}

std::string left_out_sentence(const MeasuredProblems& found, ProblemKind kind) {
    std::string reasons;
    std::size_t steps = 0;
    for (const auto& [reason, count] : found.left_out) {
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
        steps += count;
    }
    return steps == 0 ? ""
                      : fmt::format("{} of {} steps with {} are left out: {}", steps,
                                    steps + found.steps, name_of(kind), reasons);
}

}  // namespace strata

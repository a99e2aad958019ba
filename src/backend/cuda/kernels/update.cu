// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/update.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

#include <type_traits>

namespace strata::cuda {

namespace {

// The new weight and states of each element. A rule is a struct
//   static constexpr int states;
//   Rule prepared() const;                        with what a thread reads once
//   void operator()(float& weight, float gradient, float* states) const;
template <class Rule>
struct UpdateBody {
    Elements weight;
    Elements gradient;
    Elements states[Rule::states == 0 ? 1 : Rule::states];
    Rule rule;
    std::int64_t count;

    __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        const Rule own = rule.prepared();
        if (begin + Pack::size <= count) {
            whole(own, begin);
            return;
        }
        for (std::int64_t i = begin; i < count; ++i) {
            single(own, i);
        }
    }

private:
    static constexpr int some = Rule::states == 0 ? 1 : Rule::states;

    __device__ void whole(const Rule& own, std::int64_t begin) const {
        const RawPack raw_gradient = gradient.load_raw_pack(begin);
        Pack new_weight = weight.load_pack(begin);
        Pack new_states[some];
        for (int k = 0; k < Rule::states; ++k) {
            new_states[k] = states[k].load_pack(begin);
        }
        const Pack gradients = gradient.values_of(raw_gradient);
        unrolled<Pack::size>([&](int j) {
            float values[some];
            for (int k = 0; k < Rule::states; ++k) {
                values[k] = new_states[k].at[j];
            }
            own(new_weight.at[j], gradients.at[j], values);
            for (int k = 0; k < Rule::states; ++k) {
                new_states[k].at[j] = values[k];
            }
        });
        weight.store_pack(begin, new_weight);
        for (int k = 0; k < Rule::states; ++k) {
            states[k].store_pack(begin, new_states[k]);
        }
    }
    __device__ void single(const Rule& own, std::int64_t i) const {
        float values[some];
        for (int k = 0; k < Rule::states; ++k) {
            values[k] = states[k].load(i);
        }
        float value = weight.load(i);
        own(value, gradient.load(i), values);
        weight.store(i, value);
        for (int k = 0; k < Rule::states; ++k) {
            states[k].store(i, values[k]);
        }
    }
};

struct SgdRule {
    static constexpr int states = 0;
    float rate;

    __device__ SgdRule prepared() const { return *this; }
    __device__ void operator()(float& weight, float gradient, float*) const {
        weight -= rate * gradient;
    }
};

struct MomentumRule {
    static constexpr int states = 1;
    float rate;
    float keep;

    __device__ MomentumRule prepared() const { return *this; }
    __device__ void operator()(float& weight, float gradient, float* states) const {
        states[0] = keep * states[0] + gradient;
        weight -= rate * states[0];
    }
};

// The values that Adam's kernel reads: the number of steps taken, and the rate and epsilon that
// follow from it (adam_step of op/optimizer.h; in double, because 1 - beta^t cancels).
struct CountBody {
    float* state;
    Adam adam;

    __device__ void operator()(std::int64_t) const {
        const double steps = state[0] + 1;
        const double root = sqrt(1 - pow(adam.beta2, steps));
        state[0] = static_cast<float>(steps);
        state[1] = static_cast<float>(adam.learning_rate * root / (1 - pow(adam.beta1, steps)));
        state[2] = static_cast<float>(adam.epsilon * root);
    }
};

struct AdamRule {
    static constexpr int states = 2;  // the mean, and that of the square
    float keep1;
    float take1;
    float keep2;
    float take2;
    const float* counted = nullptr;
    float rate = 0;
    float epsilon = 0;

    __device__ AdamRule prepared() const {
        AdamRule rule = *this;
        rule.rate = counted[1];
        rule.epsilon = counted[2];
        return rule;
    }
    __device__ void operator()(float& weight, float gradient, float* states) const {
        states[0] = keep1 * states[0] + take1 * gradient;
        states[1] = keep2 * states[1] + take2 * gradient * gradient;
        weight -= rate * states[0] / (sqrtf(states[1]) + epsilon);
    }
};

template <class Rule>
Kernel update_by(const char* name, std::int64_t count, ElementType gradient, Rule rule) {
    return each(name, ceiling(count, Pack::size), [=](std::span<void* const> at) {
        UpdateBody<Rule> body = {
            Elements(at[0], ElementType::f32), Elements(at[1], gradient), {}, rule, count};
        for (int k = 0; k < Rule::states; ++k) {
            body.states[k] = Elements(at[2 + k], ElementType::f32);
        }
        if constexpr (std::is_same_v<Rule, AdamRule>) {
            body.rule.counted = floats(at[2 + Rule::states]);
        }
        return body;
    });
}

Kernel kernel_of(const Sgd& optimizer, std::int64_t count, ElementType gradient) {
    return update_by("strata:sgd", count, gradient,
                     SgdRule{static_cast<float>(optimizer.learning_rate)});
}

Kernel kernel_of(const SgdMomentum& optimizer, std::int64_t count, ElementType gradient) {
    return update_by("strata:sgd_momentum", count, gradient,
                     MomentumRule{static_cast<float>(optimizer.learning_rate),
                                  static_cast<float>(optimizer.momentum)});
}

Kernel kernel_of(const Adam& optimizer, std::int64_t count, ElementType gradient) {
    return update_by(
        "strata:adam", count, gradient,
        AdamRule{static_cast<float>(optimizer.beta1), static_cast<float>(1 - optimizer.beta1),
                 static_cast<float>(optimizer.beta2), static_cast<float>(1 - optimizer.beta2)});
}

}  // namespace

Kernel update_kernel(const Optimizer& optimizer, std::int64_t count, ElementType gradient) {
    return std::visit([&](const auto& one) { return kernel_of(one, count, gradient); }, optimizer);
}

Kernel adam_count(const Adam& optimizer) {
    return each("strata:adam_count", 1, [=](std::span<void* const> at) {
        return CountBody{floats(at[0]), optimizer};
    });
}

}  // namespace strata::cuda

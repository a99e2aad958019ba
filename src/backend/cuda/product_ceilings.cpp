// SPDX-License-Identifier: MIT
#include "backend/cuda/ceilings.h"

#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/device/values.h"
#include "base/random.h"
#include "measure/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::cuda {

namespace {

constexpr std::int64_t rows = 8192;
constexpr int max_algorithms = 5;

struct Product {
    const char* name;
    ElementType type;
    SinglePrecision single_precision;
};
constexpr std::array products = {Product{"f32", ElementType::f32, SinglePrecision::full},
                                 Product{"tf32", ElementType::f32, SinglePrecision::tf32},
                                 Product{"f16", ElementType::f16, SinglePrecision::full},
                                 Product{"bf16", ElementType::bf16, SinglePrecision::full}};

// Random normal numbers, as in networks: the operands' values determine a product's power and thus
// the clock. A tile of them is repeated.
void fill_operand(Machine& machine, void* operand, ElementType type, std::uint64_t stream) {
    constexpr std::int64_t tile = std::int64_t{1} << 20U;
    static_assert(rows * rows % tile == 0);
    const RandomStream random(1, stream);
    HostValues values(tile);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = random.normal(i);
    }
    std::vector<std::byte> bytes = encode(values, {tile}, {type});
    for (std::int64_t i = 0; i < rows * rows / tile; ++i) {
        auto* begin = static_cast<std::byte*>(operand) + static_cast<std::size_t>(i) * bytes.size();
        machine.copy(Transfer::to_machine, begin, bytes.data(), bytes.size());
    }
}

Call call_of(const Product& product, int choice) {
    const TensorView view = {0, {rows, rows}, {product.type}};
    const Matrix matrix = {product.type, rows};
    return matmul_call({.m = rows,
                        .n = rows,
                        .k = rows,
                        .a = matrix,
                        .b = matrix,
                        .y = matrix,
                        .single_precision = product.single_precision,
                        .choice = choice},
                       {view, view, view});
}

// ", 1755 MHz, 690 W": the known ones of these.
std::string text_of(const DeviceState& state) {
    std::string text;
    if (state.core_clock) {
        text += fmt::format(", {:.0f} MHz", state.core_clock->value / 1e6);
    }
    if (state.watts) {
        text += fmt::format(", {:.0f} W", *state.watts);
    }
    return text;
}

// Square products, type by type.
class Products {
public:
    Products(Machine& machine, DeviceWatch* watch,
             const std::function<void(const std::string&)>& progress)
        : machine_(machine), watch_(watch), progress_(progress) {
        for (Memory& memory : memory_) {
            memory = machine.allocate(rows * rows * sizeof(float));
        }
    }

    // Empty if the library refuses all algorithms.
    std::optional<ComputeCeiling> ceiling_of(const Product& product) {
        fill_operand(machine_, memory_[0].get(), product.type, 0);
        fill_operand(machine_, memory_[1].get(), product.type, 1);
        std::vector<Rates> all;
        std::optional<Call> best;
        for (int choice = 0; choice < max_algorithms; ++choice) {
            const Call call = call_of(product, choice);
            if (auto rates = rates_of(call, product, choice)) {
                const bool is_best = std::ranges::all_of(
                    all, [&](const Rates& other) { return rates->best > other.best; });
                best = is_best ? call : best;
                all.push_back(*std::move(rates));
            }
        }
        if (!best) {
            return {};
        }
        ComputeCeiling ceiling{.dtype = product.name,
                               .peak = best_of<FlopRate>(std::move(all)),
                               .sustained = sustained(product, *best)};
        ceiling.peak.value = std::max(ceiling.peak.value, ceiling.sustained->value);
        return ceiling;
    }

private:
    void enqueue(const Call& call) {
        machine_.enqueue(call, std::array{memory_[0].get(), memory_[1].get(), memory_[2].get()});
    }

    void tell(const Product& product, const std::string& what) const {
        if (progress_) {
            progress_(fmt::format("{}: {}", product.name, what));
        }
    }

    // Empty if the library has no algorithm of this index, or cannot run it here.
    std::optional<Rates> rates_of(const Call& call, const Product& product, int choice) {
        const std::string name = fmt::format("cublaslt algorithm {}", choice + 1);
        tell(product, name);
        try {
            machine_.finalize(call);
            return rates_from(name, work, times_of(machine_, [&] { enqueue(call); }));
        } catch (const DeviceError& error) {
            if (error.trouble() != DeviceTrouble::library_refused) {
                throw;
            }
            return {};
        }
    }

    // A burst of milliseconds ends before the power limit acts, and so may a network's product:
    // their ceiling is the burst's rate. Products that follow each other for longer have this one.
    Fact<FlopRate> sustained(const Product& product, const Call& call) {
        tell(product, "for a second");
        DeviceState state;
        const Seconds time = sustained_time_of(
            machine_, [&] { enqueue(call); },
            [&] {
                if (watch_ != nullptr) {
                    state = watch_->state();
                }
            });
        return {.value = {work / time.value},
                .source = fmt::format("{}: the second half of a second{}", measured_now(),
                                      text_of(state))};
    }

    static constexpr double work = 2.0 * rows * rows * rows;

    Machine& machine_;
    DeviceWatch* watch_;
    const std::function<void(const std::string&)>& progress_;
    std::array<Memory, 3> memory_;  // two operands and the result
};

}  // namespace

std::vector<ComputeCeiling> product_ceilings(
    Machine& machine, DeviceWatch* watch, const std::function<void(const std::string&)>& progress) {
    Products all(machine, watch, progress);
    std::vector<ComputeCeiling> ceilings;
    for (const Product& product : products) {
        if (auto ceiling = all.ceiling_of(product)) {
            ceilings.push_back(*std::move(ceiling));
        }
    }
    machine.wait();
    return ceilings;
}

}  // namespace strata::cuda

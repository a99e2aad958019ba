// SPDX-License-Identifier: MIT
#include "backend/cuda/product_ceilings.h"

#include "backend/cuda/ceiling_times.h"
#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/kernels/copy.h"
#include "backend/cuda/kernels/dropout.h"
#include "measure/rates.h"

#include <fmt/format.h>

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

// Fills with ones, of which dropout turns half into 0 and half into 2: zeros alone would draw less
// power and so allow a clock that no network reaches.
void fill_operand(Machine& machine, void* operand, ElementType type) {
    constexpr std::int64_t count = rows * rows;
    machine.enqueue({fill("ones", count, type, 1), {}}, std::array{operand});
    machine.enqueue({dropout(1, 0.5, count, {type, type}), {}}, std::array{operand, operand});
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

// Nothing if the library has no algorithm of this index, or cannot run it here.
std::optional<Rates> rates_of(Machine& machine, const Call& call, const std::string& name,
                              void* operand, void* result) {
    try {
        machine.finalize(call);
        return rates_from(name, 2.0 * rows * rows * rows, times_of(machine, [&] {
                              machine.enqueue(call, std::array{operand, operand, result});
                          }));
    } catch (const DeviceError& error) {
        if (error.trouble() != DeviceTrouble::library_refused) {
            throw;
        }
        return {};
    }
}

}  // namespace

std::vector<ComputeCeiling> product_ceilings(
    Machine& machine, const std::function<void(const std::string&)>& progress) {
    constexpr std::size_t bytes = rows * rows * sizeof(float);
    const Memory operand = machine.allocate(bytes);
    const Memory result = machine.allocate(bytes);
    std::vector<ComputeCeiling> ceilings;
    for (const Product& product : products) {
        fill_operand(machine, operand.get(), product.type);
        std::vector<Rates> all;
        for (int choice = 0; choice < max_algorithms; ++choice) {
            const std::string name = fmt::format("cublaslt, algorithm {}", choice + 1);
            if (progress) {
                progress(fmt::format("{}: {}", product.name, name));
            }
            const Call call = call_of(product, choice);
            if (auto rates = rates_of(machine, call, name, operand.get(), result.get())) {
                all.push_back(*std::move(rates));
            }
        }
        if (!all.empty()) {
            ceilings.push_back({product.name, best_of<FlopRate>(std::move(all))});
        }
    }
    machine.wait();
    return ceilings;
}

}  // namespace strata::cuda

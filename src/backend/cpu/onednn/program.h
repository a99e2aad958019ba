// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/layout.h"
#include "backend/lower/program.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace strata::cpu {

// The place and layout of values. A part of a buffer, such as one step of a sequence, begins
// `offset` bytes into it. Only a layer's own calls use parts; a tensor's view covers a whole
// buffer.
struct TensorView {
    BufferId buffer = 0;
    Desc desc = {};
    std::size_t offset = 0;
};

// The views of a primitive's arguments, by the library's number of each.
using Arguments = std::vector<std::pair<int, TensorView>>;

struct PrimitiveCall {
    dnnl::primitive primitive;
    Arguments arguments;
};

// One of our own loops; it receives the addresses of its views, in order.
using Kernel = std::function<void(std::span<void* const>)>;
struct KernelCall {
    Kernel kernel;
    std::vector<TensorView> views;
};

// The parameters of a function, or of an object with one call operator.
template <class Function>
struct ParametersOf : ParametersOf<decltype(&Function::operator())> {};
template <class... Parameters>
struct ParametersOf<void (*)(Parameters...)> {
    static constexpr std::size_t count = sizeof...(Parameters);
    using Types = std::tuple<Parameters...>;
    // How many of the first parameters are pointers.
    static constexpr std::size_t pointers_before(std::size_t parameter) {
        const std::array<bool, sizeof...(Parameters)> all = {std::is_pointer_v<Parameters>...};
        return static_cast<std::size_t>(
            std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(parameter), true));
    }
};
template <class Object, class... Parameters>
struct ParametersOf<void (Object::*)(Parameters...) const> : ParametersOf<void (*)(Parameters...)> {
};

// A call of one of our loops: its pointers are the addresses of the views, in order, and its other
// parameters have these values, in order.
template <class Loop, class... Values>
KernelCall loop_call(Loop loop, std::vector<TensorView> views, Values... values) {
    using Parameters = ParametersOf<Loop>;
    return {[loop = std::move(loop),
             bound = std::tuple(std::move(values)...)](std::span<void* const> at) {
                const auto argument = [&]<std::size_t parameter>() -> decltype(auto) {
                    using Type = std::tuple_element_t<parameter, typename Parameters::Types>;
                    constexpr std::size_t pointer = Parameters::pointers_before(parameter);
                    if constexpr (std::is_pointer_v<Type>) {
                        return static_cast<Type>(at[pointer]);
                    } else {
                        return (std::get<parameter - pointer>(bound));
                    }
                };
                [&]<std::size_t... parameters>(std::index_sequence<parameters...>) {
                    loop(argument.template operator()<parameters>()...);
                }
                (std::make_index_sequence<Parameters::count>());
            },
            std::move(views)};
}

using Call = std::variant<PrimitiveCall, KernelCall>;

using Program = LoweredProgram<TensorView, Call>;

}  // namespace strata::cpu

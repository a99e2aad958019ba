// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/step.h"
#include "base/error.h"

namespace strata {

namespace {

[[noreturn]] void unreachable() {
    throw Error("an operator without reference loops was executed; this is a bug");
}

}  // namespace

void reference_forward(const Recurrent&, const ReferenceOperands&) {
    unreachable();
}
void reference_backward(const Recurrent&, const ReferenceOperands&) {
    unreachable();
}
void reference_forward(const Embedding&, const ReferenceOperands&) {
    unreachable();
}
void reference_backward(const Embedding&, const ReferenceOperands&) {
    unreachable();
}
void reference_forward(const Resize&, const ReferenceOperands&) {
    unreachable();
}
void reference_backward(const Resize&, const ReferenceOperands&) {
    unreachable();
}
void reference_forward(const TransposedConvolution&, const ReferenceOperands&) {
    unreachable();
}
void reference_backward(const TransposedConvolution&, const ReferenceOperands&) {
    unreachable();
}

// Operators whose loops are still to come.
bool is_missing(const Op& op) {
    return std::holds_alternative<Recurrent>(op) || std::holds_alternative<Embedding>(op) ||
           std::holds_alternative<Resize>(op) || std::holds_alternative<TransposedConvolution>(op);
}

}  // namespace strata

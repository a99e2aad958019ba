// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/library_product.h"

#include "base/error.h"

#include <oneapi/dnnl/dnnl.h>

namespace strata::cpu {

namespace {

char letter(const Factor& factor) {
    return factor.order == Factor::Order::transposed ? 'T' : 'N';
}

dnnl_dim_t dim(std::size_t extent) {
    return static_cast<dnnl_dim_t>(extent);
}

}  // namespace

void library_product(const ProductExtents& extents, const Factor& a, const Factor& b,
                     const ResultMatrix& c, Into into) {
    const dnnl_status_t status =
        dnnl_sgemm(letter(a), letter(b), dim(extents.rows), dim(extents.columns),
                   dim(extents.depth), 1, a.data, dim(a.row), b.data, dim(b.row),
                   into == Into::add ? 1.0F : 0.0F, c.data, static_cast<dnnl_dim_t>(c.row));
    check(status == dnnl_success, "dnnl_sgemm takes every product");
}

}  // namespace strata::cpu

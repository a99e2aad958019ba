# SPDX-License-Identifier: MIT
"""PyTorch: eager, or compiled as a whole; gradients by torch.autograd.grad, operand by operand."""
import functools
import re

import protocol
import stepwise


def load():
    global torch, get_gradient_edge, OPERATORS, optimizer_of, rows_of_gru
    import torch
    from torch.autograd.graph import get_gradient_edge
    from pytorch_layers import OPERATORS, optimizer_of, rows_of_gru
    torch.set_flush_denormal(True)  # as in strata's engine; threads that start later inherit it
    torch.set_num_threads(protocol.THREADS)
    if "inter-op" in protocol.OPTIONS:
        torch.set_num_interop_threads(int(protocol.OPTIONS["inter-op"]))
    torch.backends.mkldnn.enabled = protocol.OPTIONS.get("onednn") != "off"
    names = {"MKL": r"Math Kernel Library Version ([\d.]+)", "oneDNN": r"MKL-DNN v([\d.]+)"}
    words = [f"{name} {found[1]}" for name, pattern in names.items() if (found := re.search(pattern, torch.__config__.show()))]
    words += [torch.backends.cpu.get_cpu_capability(), f"OpenMP with {torch.get_num_threads()} threads"]
    hello = {"name": "pytorch", "version": torch.__version__, "details": ", ".join(words), "apart": stepwise.EAGER,
             "modes": ["training", "inference"], "layouts": ["nchw", "nhwc"], "optimizers": ["momentum", "sgd", "adam"],
             "dtypes": ["f32", "bf16"], "options": {"device": ["cpu", "cuda"], "inter-op": [], "onednn": ["on", "off"], "profiler": ["on", "off"]}}
    if protocol.OPTIONS.get("device") != "cuda":
        return hello, Steps
    import pytorch_gpu
    return {**hello, **pytorch_gpu.hello()}, type("GpuSteps", (pytorch_gpu.OnGpu, Steps), {})


class Steps(stepwise.Stepwise):
    framework = "PyTorch"
    # One kernel, or one pass back through time, gives both.
    together = ("attention", "batch_normalization", "group_normalization", "layer_normalization", "recurrent")
    implementation, compiler = "eager", "torch.compile"
    device, activities = "cpu", ["CPU"]  # that the profiler records

    def begin(self):
        self.of_gru = {t: layer.attributes for layer in self.network.layers if getattr(layer.attributes, "cell", "") == "gru"
                       for t in layer.inputs if self.network.tensors[t].role == "parameter"}
        self.stubs, self.images_last = {}, self.network.layout == "nhwc"
        self.narrow = {"bf16": torch.bfloat16, "f16": torch.float16}.get(self.network.dtype)
        torch.manual_seed(self.network.seed)
        super().begin()
        updates = [task for task in self.network.tasks if task.kind == "update"]
        of = functools.partial(optimizer_of, self.network.optimizer)
        self.optimizer = of([self.values[t] for t in self.trained]) if self.trained else None
        self.optimizers = {task.layer.id: of([self.values[t] for t in task.parameters]) for task in updates}
        for one in self.optimizers.values():
            one.state = self.optimizer.state  # one momentum, not two
        self.compute = torch.compile(self.forward_all) if self.network.fused else self.forward_all
        if self.narrow and self.network.training:
            self.forward, self.compute = (torch.autocast(self.device, self.narrow)(one) for one in (self.forward, self.compute))

    def tensor(self, array, of):
        array = rows_of_gru(self.of_gru[of.id], array) if of.id in self.of_gru else array.copy()
        value = torch.from_numpy(array).to(self.device, self.element_type(of))
        if self.images_last and value.dim() == 4:
            value = value.contiguous(memory_format=torch.channels_last)
        return value.requires_grad_(of.id in self.network.needs_gradient and of.role != "activation")

    def element_type(self, of):
        """In a training of a narrow type, autocast narrows the operands of products, and parameters stay f32; in inference
        everything is narrow, as `module.to` makes it."""
        usual = getattr(torch, {"s64": "int64", "s32": "int32"}.get(of.dtype, "float32"))
        is_narrow = self.narrow and usual == torch.float32 and (of.role == "activation" or not self.network.training)
        return self.narrow if is_narrow else usual

    def array(self, value, of):
        array = value.detach().to("cpu", torch.float32).contiguous().numpy()
        return rows_of_gru(self.of_gru[of.id], array) if of.id in self.of_gru else array

    def zeros(self, of):
        return torch.zeros(of.dims, dtype=self.element_type(of), device=self.device)

    def note_exponents(self):
        """Passes a constant exponent as a number, as a user writes it: PyTorch then squares instead of raising to a
        power."""
        for layer in self.network.layers:
            if layer.type != "elementwise" or layer.attributes.kind != "power":
                continue
            base, exponent = (self.network.tensors[t] for t in layer.inputs)
            value = self.values.get(exponent.id)
            if exponent.role == "constant" and value is not None and value.numel() == 1 and len(exponent.dims) <= len(base.dims):
                layer.attributes.exponent = value.item()

    def load(self):
        if not self.values:
            super().load()
            return self.note_exponents()
        with torch.no_grad():  # the optimizer knows these tensors
            kept = dict(self.values)
            super().load()
            for t, value in list(self.values.items()):
                if t in kept and value.requires_grad:
                    self.values[t] = kept[t].copy_(value)
        if self.optimizer:
            self.optimizer.state.clear()
            self.optimizer.zero_grad(set_to_none=True)

    def apply(self, layer, values):
        results = self.called(OPERATORS, layer, *values)
        self.require_shapes(layer, results, layer.result_dims)
        return results

    def forward(self, layer, values):
        if not self.network.training:
            with torch.no_grad():
                return self.apply(layer, values), None
        operands = [self.cut(t, value) for t, value in zip(layer.inputs, values)]
        outputs = self.apply(layer, operands)
        edges = [[get_gradient_edge(x) if x.requires_grad else None for x in some] for some in (operands, outputs)]
        return [y.detach() for y in outputs], edges

    def cut(self, t, value):
        """The value with a new autograd history. A leaf would do, but would keep the value alive until
        the layer's backward pass, when a framework has long released what no gradient needs."""
        if t not in self.network.needs_gradient or value.requires_grad:
            return value  # a parameter is a leaf already
        stub = self.stubs.get(t)
        if stub is None or stub.dtype != value.dtype:
            stub = self.stubs[t] = value.new_zeros(()).expand(value.shape).requires_grad_()
        begun = stub.view_as(value)
        begun.data = value
        return begun

    def backward(self, layer, saved, gradients, operands):
        inputs, outputs = saved
        given = [(y, g) for y, g in zip(outputs, gradients) if layer in self.network.losses or g is not None]
        return torch.autograd.grad([y for y, _ in given], [inputs[i] for i in operands], [g for _, g in given],
                                   retain_graph=True)

    def update(self, task):
        for t in task.parameters:
            self.values[t].grad = self.gradients[t]
        self.optimizers[task.layer.id].step()
        for t in task.parameters:
            self.values[t].grad = None

    def layout(self, task):
        y = self.values.get(task.layer.outputs[0])
        if y is None or y.dim() != 4:
            return "row-major"
        return "nchw" if y.is_contiguous() else "nhwc"

    def forward_all(self, given):
        """Calls the layers as a user's module does; a result is released after its last reader."""
        live = dict(given)
        for layer, forgotten in zip(self.network.layers, self.network.forget_after):
            if layer.id not in self.refused:
                live.update(zip(layer.outputs, self.apply(layer, [live[t] for t in layer.inputs])))
            for t in forgotten:
                live.pop(t, None)
        return {t: live[t] for t in self.network.ends if t in live}

    def profiler(self, folder):
        return torch.profiler.profile(activities=[getattr(torch.profiler.ProfilerActivity, one) for one in self.activities],
                                      record_shapes=True)

    def iterate(self):
        given = {t: self.values[t] for t in self.given}
        if not self.network.training:
            with torch.no_grad():
                self.compute(given)
            return
        results = self.compute(given)
        ends = [t for t in self.network.starts if results[t].requires_grad]
        if ends:
            torch.autograd.backward([results[t] for t in ends], [self.gradients.get(t) for t in ends])
        if self.optimizer:
            self.optimizer.step()
        # At the end, so that this iteration and not the next one pays for releasing their memory.
        for value in given.values():
            value.grad = None


if __name__ == "__main__":
    protocol.serve(load)

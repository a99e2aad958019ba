# SPDX-License-Identifier: MIT
"""OpenVINO: inference of an ONNX model, which it optimises on its own; timed by its performance counters."""
import time

import profiled
import protocol


def load():
    global openvino
    import openvino
    can = openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return {"name": "openvino", "version": openvino.__version__.split("-")[0],
            "details": f"CPU plug-in, {protocol.THREADS} threads", "modes": ["inference"], "layouts": [],
            "dtypes": ["f32", "bf16"] if "BF16" in can else ["f32"], "optimizers": [],
            "options": {"streams": [], "hint": ["latency", "throughput"]}}, Steps


class Steps(profiled.Profiled):
    def begin(self):
        core = openvino.Core()
        model = core.read_model(self.network.model)
        hints = {"PERFORMANCE_HINT": protocol.OPTIONS.get("hint", "latency").upper(), "INFERENCE_PRECISION_HINT": self.network.dtype,
                 "INFERENCE_NUM_THREADS": protocol.THREADS, "ENABLE_CPU_PINNING": protocol.PINNED,
                 "CPU_DENORMALS_OPTIMIZATION": True}
        if "streams" in protocol.OPTIONS:
            hints["NUM_STREAMS"] = protocol.OPTIONS["streams"]
        self.plain = core.compile_model(model, "CPU", hints).create_infer_request()
        counting = core.compile_model(model, "CPU", {**hints, "PERF_COUNT": True})
        self.counting = counting.create_infer_request()
        # A fused node has its own name or that of one of its layers; its properties name all of
        # them.
        self.layers_of = {node.get_friendly_name(): node.get_rt_info()["originalLayersNames"].astype(str)
                          for node in counting.get_runtime_model().get_ops()
                          if "originalLayersNames" in node.get_rt_info()}
        self.feed()
        self.counting.infer()

    def feed(self):
        for request in (self.plain, self.counting):
            for name, values in self.inputs.items():
                request.set_tensor(name, openvino.Tensor(values, shared_memory=True))

    def infer(self):
        self.plain.infer()
        if not self.network.kept:
            return None
        return {name: self.plain.get_tensor(port).data.copy()
                for port in self.plain.model_outputs for name in port.get_names()}

    def profile(self):
        begin = time.perf_counter()
        self.counting.infer()
        total = time.perf_counter() - begin
        return total, [(self.layers_of.get(node.node_name) or node.node_name, node.real_time.total_seconds(), node.exec_type)
                       for node in self.counting.profiling_info if node.status.name == "EXECUTED"]


if __name__ == "__main__":
    protocol.serve(load)

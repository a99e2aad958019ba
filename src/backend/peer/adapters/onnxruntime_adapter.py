# SPDX-License-Identifier: MIT
"""ONNX Runtime: inference of an ONNX model, unoptimised or with all its optimisations, timed by its own
profiler, node by node."""
import json
import os

import profiled
import protocol


def load():
    global onnxruntime
    import onnxruntime
    return {"name": "onnxruntime", "version": onnxruntime.__version__,
            "details": f"CPU execution provider, {protocol.THREADS} threads", "modes": ["inference"], "layouts": [],
            "optimizers": [], "options": {"inter-op": [], "optimization": list(LEVELS), "spinning": ["on", "off"]}}, Steps


AT_A_TIME = 8
LEVELS = {"off": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED", "all": "ORT_ENABLE_ALL"}


class Steps(profiled.Profiled):
    def begin(self):
        self.profiles = []
        self.session = self.session_of(profiled=False)

    def session_of(self, profiled):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = protocol.THREADS
        options.add_session_config_entry("session.set_denormal_as_zero", "1")  # as in every backend
        options.inter_op_num_threads = int(protocol.OPTIONS.get("inter-op", "1"))
        if options.inter_op_num_threads > 1:
            options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
        level = protocol.OPTIONS.get("optimization", "all" if self.network.fused else "off")
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, LEVELS[level])
        if protocol.OPTIONS.get("spinning") == "off":
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if protocol.PINNED and protocol.THREADS > 1:
            processors = sorted(os.sched_getaffinity(0))  # for the threads besides the caller's, counted from 1
            of = [str(processors[i % len(processors)] + 1) for i in range(1, protocol.THREADS)]
            options.add_session_config_entry("session.intra_op_thread_affinities", ";".join(of))
        if profiled:
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(os.path.dirname(self.network.model), "profile")
        return onnxruntime.InferenceSession(self.network.model, options, providers=["CPUExecutionProvider"])

    def infer(self):
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, self.inputs)))

    def profile(self):
        """A session's profile can be read only once, and creating a session takes long, so profiled iterations run
        several at a time and are handed out one by one."""
        if not self.profiles:
            session = self.session_of(profiled=True)
            for _ in range(1 + AT_A_TIME):
                session.run(None, self.inputs)
            self.profiles = self.iterations_in(session.end_profiling())[1:]  # the first allocates
        return self.profiles.pop(0)

    def iterations_in(self, path):
        with open(path, encoding="utf-8") as file:
            events = sorted(json.load(file), key=lambda event: event["ts"])
        os.remove(path)
        nodes = [event for event in events if event["cat"] == "Node" and event["name"].endswith("_kernel_time")]
        return [(run["dur"] * 1e-6,
                 [(node["name"].removesuffix("_kernel_time"), node["dur"] * 1e-6, node["args"]["op_name"])
                  for node in nodes if run["ts"] <= node["ts"] <= run["ts"] + run["dur"]])
                for run in events if run["name"] == "model_run"]


if __name__ == "__main__":
    protocol.serve(load)

"""The loop that every adapter shares: a JSON object a line in, one a line out.

A request has an `id`, the `seconds` it may take, a `seed` and the `instance`; the answer has the same `id`
and either a plan or an `error` (with `missing: true` if something is not installed). The first line out says
`ready` with the solver's version. The process ends when its parent does, even in the middle of a solve.
"""

import sys

# Nothing of the current folder is run: it may be anybody's, and a solver's modules are not there.
sys.path[:] = [place for place in sys.path if place]

import json
import os
import threading
import time


def end_with_parent():
    parent = os.getppid()
    try:  # on Linux the kernel sees to it
        import ctypes

        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    except (OSError, AttributeError):
        pass

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def serve(load):
    """`load()` imports the solver and returns its version and its `solve(instance, seconds, seed, options)`."""
    end_with_parent()
    # Solvers that print must not disturb the conversation: standard output becomes standard error.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer):
        out.write(json.dumps(answer) + "\n")
        out.flush()

    try:
        version, solve = load()
    except ImportError as error:
        say({"error": f"{error}; run `cargo xtask rivals` and set SOLO_PYTHON as it says", "missing": True})
        return
    except RuntimeError as error:
        say({"error": str(error), "missing": True})
        return
    say({"ready": version})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = solve(
                request["instance"], request["seconds"], request["seed"], request["options"]
            )
        except Exception as error:  # whatever it is, the parent must hear of it
            answer = {"error": f"{type(error).__name__}: {error}"}
        answer["id"] = request["id"]
        say(answer)

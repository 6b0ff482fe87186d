"""PyVRP's iterated local search on a plain CVRP (see `ortools_routing.py` for the instance)."""


def load():
    from importlib.metadata import version

    from pyvrp import Model
    from pyvrp.stop import MaxRuntime

    def solve(instance, seconds, seed, options):
        distance, demand = instance["distance"], instance["demand"]
        places = len(demand)
        # PyVRP works on whole numbers.
        scale = 100_000 if max(map(max, distance)) < 1000 else 1
        model = Model()
        nodes = [model.add_depot(0, 0)]
        nodes += [model.add_client(0, 0, delivery=demand[k]) for k in range(1, places)]
        model.add_vehicle_type(places - 1, capacity=instance["capacity"])
        for i, row in enumerate(distance):
            for j, far in enumerate(row):
                if i != j:
                    model.add_edge(nodes[i], nodes[j], distance=int(far * scale + 0.5))
        result = model.solve(MaxRuntime(seconds), seed=seed, display=False)
        if not result.is_feasible():
            return {"error": "found no feasible solution in the time given"}
        return {"routes": [list(route.visits()) for route in result.best.routes()]}

    return f"PyVRP {version('pyvrp')}", solve


serve(load)

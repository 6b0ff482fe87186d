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
        nodes = [model.add_location(0, 0) for _ in range(places)]
        model.add_depot(nodes[0])
        for k in range(1, places):
            model.add_client(nodes[k], delivery=demand[k])
        model.add_vehicle_type(places - 1, capacity=instance["capacity"])
        for i, row in enumerate(distance):
            for j, far in enumerate(row):
                if i != j:
                    model.add_edge(nodes[i], nodes[j], distance=int(far * scale + 0.5))
        result = model.solve(MaxRuntime(seconds), seed=seed, display=False)
        if not result.is_feasible():
            return {"error": "found no feasible solution in the time given"}
        # client k of PyVRP is place k + 1
        routes = [[stop.idx + 1 for stop in route.schedule() if stop.is_client()] for route in result.best.routes()]
        return {"routes": routes}

    return f"PyVRP {version('pyvrp')}", solve


serve(load)

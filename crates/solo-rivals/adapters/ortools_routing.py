"""OR-Tools' routing solver. Options: `metaheuristic` is `none` (its defaults, as the paper ran it) or `gls`.

The instance is a plain CVRP: `distance` (square, place 0 is the depot), `demand`, `capacity`. One vehicle for each
customer. Distances are whole numbers for OR-Tools: they are multiplied by 1000 where the longest is below 1000.
"""


def load():
    import ortools
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    def solve(instance, seconds, seed, options):
        distance, demand = instance["distance"], instance["demand"]
        places = len(demand)
        scale = 1000 if max(map(max, distance)) < 1000 else 1
        whole = [[int(d * scale + 0.5) for d in row] for row in distance]
        manager = pywrapcp.RoutingIndexManager(places, places - 1, 0)
        routing = pywrapcp.RoutingModel(manager)
        routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(whole))
        demands = routing.RegisterUnaryTransitVector(demand)
        routing.AddDimension(demands, 0, instance["capacity"], True, "load")
        parameters = pywrapcp.DefaultRoutingSearchParameters()
        parameters.time_limit.FromMilliseconds(max(1, int(seconds * 1000)))
        if options["metaheuristic"] == "gls":
            enums = routing_enums_pb2
            parameters.first_solution_strategy = enums.FirstSolutionStrategy.SAVINGS
            parameters.local_search_metaheuristic = (
                enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
            )
        found = routing.SolveWithParameters(parameters)
        if found is None:
            return {"error": "found no solution in the time given"}
        routes = []
        for vehicle in range(places - 1):
            index, route = routing.Start(vehicle), []
            while not routing.IsEnd(index):
                place = manager.IndexToNode(index)
                if place:
                    route.append(place)
                index = found.Value(routing.NextVar(index))
            if route:
                routes.append(route)
        return {"routes": routes}

    return f"OR-Tools {ortools.__version__}", solve


serve(load)

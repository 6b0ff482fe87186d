"""OR-Tools' routing solver with waiting priced (see `ortools_routing.py` for the plain part of the instance).

The cost is distance + `waiting_weight` x the sum of the times at which customers are reached. So trips cannot be
planned side by side: each vehicle of the `fleet` (`start` place, load `used`, time until `ready`) drives its trips
one after another, over optional places at the depot where it refills. The answer's routes are `ordered` by their
start. OR-Tools prices by whole numbers: times are multiplied by TIME, and costs by TIME x PRICE.
"""

TIME = 1000
PRICE = 1000


def load():
    import ortools
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    def solve(instance, seconds, seed, options):
        distance, demand = instance["distance"], instance["demand"]
        capacity, fleet, pace = instance["capacity"], instance["fleet"], instance["pace"]
        away = sum(vehicle["start"] > 0 for vehicle in fleet)
        customers = len(demand) - 1 - away
        # The start is by the nearest neighbour, all by the first vehicle. Any two of its trips in a row carry more
        # than one load, so that is how many places there must be to refill at.
        refills = 2 * (sum(demand[1 : customers + 1]) // capacity + 1)
        places = len(demand) + refills
        depot = lambda place: 0 if place >= len(demand) else place
        far = lambda a, b: distance[depot(a)][depot(b)]
        rows = [[far(a, b) for b in range(places)] for a in range(places)]
        manager = pywrapcp.RoutingIndexManager(
            places, len(fleet), [vehicle["start"] for vehicle in fleet], [0] * len(fleet)
        )
        routing = pywrapcp.RoutingModel(manager)
        cost = [[int(d * TIME * PRICE + 0.5) for d in row] for row in rows]
        routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(cost))
        drive = [[int(d * pace * TIME + 0.5) for d in row] for row in rows]
        latest = int(sum(max(row[1 : customers + 1] + row[:1]) for row in drive) * 2) + 1
        latest += int(max(vehicle["ready"] for vehicle in fleet) * TIME)
        routing.AddDimension(routing.RegisterTransitMatrix(drive), 0, latest, False, "time")
        clock = routing.GetDimensionOrDie("time")
        weight = int(instance["waiting_weight"] * PRICE + 0.5)
        loads = [0] + demand[1 : customers + 1] + [0] * away + [-capacity] * refills
        routing.AddDimension(
            routing.RegisterUnaryTransitVector(loads), capacity, capacity, False, "load"
        )
        load = routing.GetDimensionOrDie("load")
        for place in range(1, customers + 1):
            index = manager.NodeToIndex(place)
            load.SlackVar(index).SetValue(0)
            if weight:
                clock.SetCumulVarSoftUpperBound(index, 0, weight)
        for place in range(len(demand), places):
            routing.AddDisjunction([manager.NodeToIndex(place)], 0)
        for v, vehicle in enumerate(fleet):
            start = routing.Start(v)
            clock.CumulVar(start).SetValue(int(vehicle["ready"] * TIME + 0.5))
            load.CumulVar(start).SetValue(vehicle["used"])
            load.SlackVar(start).SetValue(0)

        def nearest():
            left, place, room = set(range(1, customers + 1)), fleet[0]["start"], capacity - fleet[0]["used"]
            route, refill = [], len(demand)
            while left:
                fits = [customer for customer in left if demand[customer] <= room]
                if fits:
                    place = min(fits, key=lambda customer: (far(place, customer), customer))
                    left.remove(place)
                    room -= demand[place]
                else:
                    place, room, refill = refill, capacity, refill + 1
                route.append(place)
            return route

        parameters = pywrapcp.DefaultRoutingSearchParameters()
        parameters.time_limit.FromMilliseconds(max(1, int(seconds * 1000)))
        enums = routing_enums_pb2
        parameters.local_search_metaheuristic = (
            enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
        )
        routing.CloseModelWithParameters(parameters)
        first = [manager.NodeToIndex(place) for place in nearest()]
        start = routing.ReadAssignmentFromRoutes([first] + [[]] * (len(fleet) - 1), True)
        found = routing.SolveFromAssignmentWithParameters(start, parameters)
        if found is None:
            return {"error": "found no solution in the time given"}
        trips = []
        for v, vehicle in enumerate(fleet):
            index = routing.Start(v)
            route = [vehicle["start"]] if vehicle["start"] else []
            begun = -1 if vehicle["start"] else found.Value(clock.CumulVar(index))
            while not routing.IsEnd(index):
                place = manager.IndexToNode(index)
                if 0 < place <= customers:
                    route.append(place)
                elif place >= len(demand):
                    trips.append((begun, route))
                    route, begun = [], found.Value(clock.CumulVar(index))
                index = found.Value(routing.NextVar(index))
            trips.append((begun, route))
        return {"routes": [route for _, route in sorted(trips) if route], "ordered": True}

    return f"OR-Tools {ortools.__version__}", solve


serve(load)

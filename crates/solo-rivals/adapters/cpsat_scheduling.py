"""OR-Tools CP-SAT on parallel machines with setups, least total weighted completion time.

The instance: `jobs` of `processing`, `weight`, `class`, `release`; `machines` of `ready` and `class` (null if it has
had no job); `setup[from][to]`; `hint`, a feasible sequence for each machine. The answer: `sequences` of job indices.
Options: `model` is `tour` (one circuit that passes through all machines) or `circuits` (one circuit a machine).
"""


def load():
    import ortools
    from ortools.sat.python import cp_model

    def setup_time(instance, before, job):
        return 0 if before is None else int(instance["setup"][before][job["class"]])

    def horizon_of(instance):
        longest = max((max(row) for row in instance["setup"]), default=0)
        work = sum(job["processing"] + longest for job in instance["jobs"])
        start = max([m["ready"] for m in instance["machines"]] + [j["release"] for j in instance["jobs"]])
        return int(start + work) + 1

    def hinted_ends(instance):
        ends = {}
        for machine, sequence in zip(instance["machines"], instance["hint"]):
            time, before = machine["ready"], machine["class"]
            for j in sequence:
                job = instance["jobs"][j]
                time = max(time, job["release"]) + setup_time(instance, before, job) + job["processing"]
                ends[j], before = int(time), job["class"]
        return ends

    def tour(model, instance, ends):
        """Nodes: the machines, then the jobs. After a machine's last job the tour goes on to the next machine."""
        jobs, machines = instance["jobs"], instance["machines"]
        m, literals = len(machines), {}
        for i in range(m + len(jobs)):
            for j in range(m + len(jobs)):
                if i == j:
                    continue
                if j < m and i < m and j != (i + 1) % m:
                    continue  # machines come in turn
                literals[i, j] = model.new_bool_var(f"{i}-{j}")
        arcs = [(i, j, literal) for (i, j), literal in literals.items()]
        if m == 1:
            arcs.append((0, 0, model.new_bool_var("idle")))
        model.add_circuit(arcs)
        # Which machine a job is on, so that a machine's chain ends at the next machine.
        on = [model.new_int_var(0, m - 1, f"on{j}") for j in range(len(jobs))]
        for (i, j), literal in literals.items():
            if j >= m:
                job = jobs[j - m]
                if i < m:
                    start = max(machines[i]["ready"], job["release"])
                    need = int(start + setup_time(instance, machines[i]["class"], job) + job["processing"])
                    model.add(ends[j - m] >= need).only_enforce_if(literal)
                    model.add(on[j - m] == i).only_enforce_if(literal)
                else:
                    need = setup_time(instance, jobs[i - m]["class"], job) + int(job["processing"])
                    model.add(ends[j - m] >= ends[i - m] + need).only_enforce_if(literal)
                    model.add(on[j - m] == on[i - m]).only_enforce_if(literal)
            elif i >= m:
                model.add(on[i - m] == (j - 1) % m).only_enforce_if(literal)
        for k, sequence in enumerate(instance["hint"]):
            chain = [k] + [m + j for j in sequence] + [(k + 1) % m]
            hinted = set(zip(chain, chain[1:]))
            for i, j in hinted:
                if (i, j) in literals:
                    model.add_hint(literals[i, j], True)

        def read(solver):
            follows = {i: j for (i, j), literal in literals.items() if solver.boolean_value(literal)}
            sequences = []
            for k in range(m):
                sequence, node = [], follows.get(k, k)
                while node >= m:
                    sequence.append(node - m)
                    node = follows[node]
                sequences.append(sequence)
            return sequences

        return read

    def circuits(model, instance, ends):
        """For each machine a circuit over the jobs that are on it; the others loop on themselves."""
        jobs, machines = instance["jobs"], instance["machines"]
        literals, present = {}, {}
        for k, machine in enumerate(machines):
            arcs = []
            for j, job in enumerate(jobs):
                present[k, j] = model.new_bool_var(f"{j} on {k}")
                arcs.append((j + 1, j + 1, present[k, j].negated()))
                for before in [None, *range(len(jobs))]:
                    if before == j:
                        continue
                    literal = model.new_bool_var(f"{k}:{before}-{j}")
                    arcs.append((0 if before is None else before + 1, j + 1, literal))
                    if before is None:
                        start = max(machine["ready"], job["release"])
                        need = int(start + setup_time(instance, machine["class"], job) + job["processing"])
                        model.add(ends[j] >= need).only_enforce_if(literal)
                    else:
                        need = setup_time(instance, jobs[before]["class"], job) + int(job["processing"])
                        model.add(ends[j] >= ends[before] + need).only_enforce_if(literal)
                    literals[k, before, j] = literal
                last = model.new_bool_var(f"{k}:{j}-end")
                arcs.append((j + 1, 0, last))
            arcs.append((0, 0, model.new_bool_var(f"{k} idle")))
            model.add_circuit(arcs)
        for j in range(len(jobs)):
            model.add_exactly_one(present[k, j] for k in range(len(machines)))
        for k, sequence in enumerate(instance["hint"]):
            before = None
            for j in sequence:
                model.add_hint(literals[k, before, j], True)
                before = j

        def read(solver):
            sequences = []
            for k in range(len(machines)):
                mine = [j for j in range(len(jobs)) if solver.boolean_value(present[k, j])]
                sequences.append(sorted(mine, key=lambda j: solver.value(ends[j])))
            return sequences

        return read

    def solve(instance, seconds, seed, options):
        jobs = instance["jobs"]
        model = cp_model.CpModel()
        horizon = horizon_of(instance)
        ends = [
            model.new_int_var(int(job["release"] + job["processing"]), horizon, f"end{j}")
            for j, job in enumerate(jobs)
        ]
        for j, job in enumerate(jobs):
            model.add(ends[j] >= int(job["release"] + job["processing"]))
        read = (circuits if options["model"] == "circuits" else tour)(model, instance, ends)
        for j, end in hinted_ends(instance).items():
            model.add_hint(ends[j], end)
        model.minimize(sum(int(job["weight"]) * ends[j] for j, job in enumerate(jobs)))
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed % 2**31
        status = solver.solve(model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            # Nothing better than the hint was found: the hint is the answer, and said to be so.
            return {"sequences": instance["hint"], "from": "hint"}
        return {"sequences": read(solver), "optimal": status == cp_model.OPTIMAL}

    return f"OR-Tools CP-SAT {ortools.__version__}", solve


serve(load)

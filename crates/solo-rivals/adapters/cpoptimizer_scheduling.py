"""IBM's CP Optimizer through docplex, where its engine is installed (see `cpsat_scheduling.py` for the instance)."""


def load():
    import shutil

    import docplex
    from docplex.cp.model import CpoModel, transition_matrix

    engine = shutil.which("cpoptimizer")
    if engine is None:
        raise RuntimeError(
            "CP Optimizer's engine is not on the PATH: install IBM ILOG CPLEX Optimization Studio and add the "
            "folder of its program `cpoptimizer`"
        )

    def solve(instance, seconds, seed, options):
        jobs, machines, setup = instance["jobs"], instance["machines"], instance["setup"]
        classes = len(setup)
        # One more class for machines that have had no job: no setup from there.
        matrix = [[int(x) for x in row] + [0] for row in setup] + [[0] * (classes + 1)]
        model = CpoModel()
        work = [
            model.interval_var(size=int(job["processing"]), start=(int(job["release"]), 10**8), name=f"j{j}")
            for j, job in enumerate(jobs)
        ]
        on = {}
        for k, machine in enumerate(machines):
            first = model.interval_var(start=int(machine["ready"]), size=0, name=f"m{k}")
            mine, kinds = [first], [classes if machine["class"] is None else machine["class"]]
            for j, job in enumerate(jobs):
                on[k, j] = model.interval_var(optional=True, size=int(job["processing"]), name=f"j{j}m{k}")
                mine.append(on[k, j])
                kinds.append(job["class"])
            sequence = model.sequence_var(mine, types=kinds)
            model.add(model.first(sequence, first))
            model.add(model.no_overlap(sequence, transition_matrix(matrix), True))
        for j in range(len(jobs)):
            model.add(model.alternative(work[j], [on[k, j] for k in range(len(machines))]))
        model.add(model.minimize(model.sum(job["weight"] * model.end_of(work[j]) for j, job in enumerate(jobs))))
        found = model.solve(
            TimeLimit=seconds, Workers=1, RandomSeed=seed % 2**31, LogVerbosity="Quiet", execfile=engine
        )
        if not found:
            return {"error": "found no solution in the time given"}
        sequences = []
        for k in range(len(machines)):
            starts = [(found.get_var_solution(on[k, j]), j) for j in range(len(jobs))]
            sequences.append([j for s, j in sorted((s.get_start(), j) for s, j in starts if s.is_present())])
        return {"sequences": sequences}

    return f"CP Optimizer (docplex {docplex.__version__})", solve


serve(load)

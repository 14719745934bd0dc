#!/usr/bin/env python3
"""Writes assignments.txt: random programs of views, slices and assignments with what NumPy makes of them, read by
tests/unit/engine/assign_numpy_test.cpp.

Run by hand (needs NumPy): `python3 make_assignments.py > assignments.txt`; `python3 make_assignments.py --check FILE` runs
the programs of a file again, which a test does where there is a NumPy. A line is a program: statements, separated by
`;`, then `=` and a checksum of every variable at the end. Variables are numbered in the order in which they are made, all
int32 (arithmetic wraps):
  n SHAPE SEED       a new array; element i is lcg(SEED + i) % 19 - 9
  r V SHAPE          a view of V of another shape
  p V ORDER          a view with axes permuted
  f V AXIS           a view, flipped
  s V AXIS A B S     a view: A:B:S along AXIS (B is `-` for "to the end")
  + V W, * V W, m V W   a new array: V + W, V * 3 - W, maximum(V, W)
  a V W              V[...] = W
  i V W              V[...] += W
  k V C              V[...] = C
Shapes and orders are comma-separated. The checksum is FNV-1a over shape and values, 32 bits each.
"""
import random
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no NumPy")
    sys.exit(77)

PROGRAMS = 3000
R = random.Random(20261)


def lcg(x):
    return (x * 1103515245 + 12345) % 2**31 >> 8


def checksum(a):
    h = 2166136261
    for v in [*a.shape, *a.flatten().tolist()]:
        h = ((h ^ (v & 0xFFFFFFFF)) * 16777619) & 0xFFFFFFFF
    return f"{h:08x}"


def value_of(kind, a, b):
    if kind == "+":
        return a + b
    return a * np.int32(3) - b if kind == "*" else np.maximum(a, b)


def text(numbers):
    return ",".join(map(str, numbers)) or "-"


class Program:
    def __init__(self):
        self.arrays, self.lines = [], []

    def say(self, *words):
        self.lines.append(" ".join(map(str, words)))

    def make(self, array, *words):
        self.arrays.append(array)
        self.say(*words)

    def pick(self, like=None):
        """A variable; one of the shape of variable `like`, preferably another one."""
        if like is None:
            return R.randrange(len(self.arrays))
        shape = self.arrays[like].shape
        fit = [i for i, a in enumerate(self.arrays) if a.shape == shape and i != like]
        return R.choice(fit) if fit and R.random() < 0.9 else like

    def fresh(self):
        shape = [R.randint(1, 5) for _ in range(R.randint(1, 3))]
        seed = R.randrange(1000)
        data = [lcg(seed + i) % 19 - 9 for i in range(int(np.prod(shape)))]
        self.make(np.array(data, np.int32).reshape(shape), "n", text(shape), seed)

    def view(self):
        v = self.pick()
        a = self.arrays[v]
        kind = R.choice("rpffsss")
        if kind == "r":
            shape = R.choice([[a.size], [1, *a.shape], [*a.shape[::-1]], [a.shape[0], -1, 1]])
            b = a.view()
            try:
                b.shape = [a.size // a.shape[0] if d == -1 else d for d in shape]
            except AttributeError:  # would be a copy
                return
            self.make(b, "r", v, text(b.shape))
        elif kind == "p":
            order = R.sample(range(a.ndim), a.ndim)
            self.make(a.transpose(order), "p", v, text(order))
        elif kind == "f":
            axis = R.randrange(a.ndim)
            self.make(np.flip(a, axis), "f", v, axis)
        else:
            axis = R.randrange(a.ndim)
            begin, step = R.randrange(a.shape[axis]), R.choice([1, 1, 2, 3, -1, -2])
            end = R.choice([None, R.randrange(a.shape[axis])])
            cut = [slice(None)] * a.ndim
            cut[axis] = slice(begin, end, step)
            if a[tuple(cut)].size:
                self.make(a[tuple(cut)], "s", v, axis, begin, "-" if end is None else end, step)

    def value(self):
        v = self.pick()
        w = self.pick(v)
        a, b = self.arrays[v], self.arrays[w]
        kind = R.choice("+*m")
        self.make(value_of(kind, a, b), kind, v, w)

    def assign(self):
        v = self.pick()
        w = self.pick(v)
        kind = R.choice("aaik")
        if kind == "k":
            w = R.randint(-9, 9)
            self.arrays[v][...] = w
        elif kind == "a":
            self.arrays[v][...] = self.arrays[w]
        else:
            self.arrays[v][...] += self.arrays[w]
        self.say(kind, v, w)

    def run(self):
        self.fresh()
        self.fresh()
        for _ in range(R.randint(5, 14)):
            R.choices([self.fresh, self.view, self.value, self.assign], [4, 45, 16, 40])[0]()
        return ";".join(self.lines) + "=" + " ".join(map(checksum, self.arrays))


def replay(line):
    """The checksums of a program as text."""
    arrays = []
    for statement in line.split("=")[0].split(";"):
        kind, *w = statement.split(" ")
        if kind == "n":
            shape, seed = [int(d) for d in w[0].split(",")], int(w[1])
            data = [lcg(seed + i) % 19 - 9 for i in range(int(np.prod(shape)))]
            arrays.append(np.array(data, np.int32).reshape(shape))
            continue
        a = arrays[int(w[0])]
        if kind == "r":
            b = a.view()
            b.shape = [int(d) for d in w[1].split(",")]
            arrays.append(b)
        elif kind == "p":
            arrays.append(a.transpose([int(d) for d in w[1].split(",")]))
        elif kind == "f":
            arrays.append(np.flip(a, int(w[1])))
        elif kind == "s":
            cut = [slice(None)] * a.ndim
            cut[int(w[1])] = slice(int(w[2]), None if w[3] == "-" else int(w[3]), int(w[4]))
            arrays.append(a[tuple(cut)])
        elif kind == "k":
            a[...] = int(w[1])
        elif kind == "a":
            a[...] = arrays[int(w[1])]
        elif kind == "i":
            a[...] += arrays[int(w[1])]
        else:
            arrays.append(value_of(kind, a, arrays[int(w[1])]))
    return " ".join(map(checksum, arrays))


def check(path):
    with open(path) as file:
        lines = file.read().splitlines()
    wrong = [line for line in lines if replay(line) != line.split("=")[1]]
    print(f"{len(lines)} programs, {len(wrong)} differ from NumPy {np.__version__}")
    for line in wrong[:3]:
        print(line)
    return 1 if wrong or not lines else 0


np.seterr(over="ignore")
if sys.argv[1:2] == ["--check"]:
    sys.exit(check(sys.argv[2]))
for _ in range(PROGRAMS):
    print(Program().run())

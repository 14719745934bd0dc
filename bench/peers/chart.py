#!/usr/bin/env python3
"""The figures of a run as a picture: for each piece of work how many times our median the peers take, on a logarithmic axis.
Of several ways to use a peer the fastest counts. Reads the JSON lines that run writes and prints SVG."""
import argparse
import collections
import html
import json
import math
import sys

PEERS = {"PyTorch": ("torch", "torch-tuned", "torch-compile"), "tinygrad": ("tinygrad", "tinygrad-llvm")}
COLOURS = {"PyTorch": "#c8501e", "tinygrad": "#2f6f9f"}
LEFT, RIGHT, TOP, ROW = 330, 70, 58, 19
WIDTH, LEAST, MOST = 980, 0.25, 256.0


def ratios(lines, threads):
    """work -> peer -> how many times our median its fastest way takes; works in their order."""
    medians = collections.defaultdict(dict)
    for line in lines:
        row = json.loads(line)
        if row["threads"] == threads and row.get("unit") == "s" and "median" in row: medians[row["work"]][row["peer"]] = row["median"]
    table = {}
    for work, by_peer in medians.items():
        if "ours" not in by_peer: continue
        best = {name: min((by_peer[way] for way in ways if way in by_peer), default=None) for name, ways in PEERS.items()}
        table[work] = {name: time / by_peer["ours"] for name, time in best.items() if time}
    return {work: row for work, row in table.items() if row}


def x_of(ratio):
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def number(ratio): return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}" if ratio >= 10 else f"{ratio:.2f}"


def svg(table, threads):
    height = TOP + ROW * len(table) + 24
    bottom = height - 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">Time of the peers, times ours '
           f'({threads} thread{"s" if threads > 1 else ""}); to the right we are faster</text>']
    shown = [name for name in COLOURS if any(name in row for row in table.values())]
    for i, name in enumerate(shown):
        out.append(f'<circle cx="{LEFT + 6 + 110 * i}" cy="36" r="5" fill="{COLOURS[name]}"/>'
                   f'<text x="{LEFT + 16 + 110 * i}" y="40">{name}</text>')
    for power in range(-2, 9):
        x = x_of(2.0**power)
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{"#222" if power == 0 else "#ddd"}"/>'
                   f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" fill="#555">{2.0**power:g}</text>')
    for i, (work, row) in enumerate(table.items()):
        y = TOP + ROW * i + 6
        out.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{html.escape(work)}</text>')
        for name, ratio in row.items():
            out.append(f'<circle cx="{x_of(ratio):.1f}" cy="{y}" r="5" fill="{COLOURS[name]}" fill-opacity="0.85">'
                       f'<title>{name}: {number(ratio)}</title></circle>')
        if "PyTorch" in row:
            out.append(f'<text x="{WIDTH - 8}" y="{y + 4}" text-anchor="end" fill="{COLOURS["PyTorch"]}">{number(row["PyTorch"])}</text>')
    return "\n".join([*out, "</svg>"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("figures", type=argparse.FileType(), help="what run wrote: build/release/peers.jsonl")
    p.add_argument("--threads", type=int, default=2, help="the table of this number of threads (default 2)")
    args = p.parse_args()
    table = ratios(args.figures, args.threads)
    if not table: sys.exit(f"chart: no figures for {args.threads} threads in {args.figures.name}")
    print(svg(table, args.threads))


if __name__ == "__main__": main()

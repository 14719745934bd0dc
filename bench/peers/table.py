"""Figures to text: medians with their spread, and ratios to ours. A ratio above 1 says that ours takes less."""
import statistics

OUTSIDE = "not part of this comparison"  # said of work that a peer has no way to do


def summary(samples):
    """Median, extremes and spread (distance of the quartiles as a share of the median) of a list of numbers."""
    middle = statistics.median(samples)
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else (middle,) * 3
    return {"median": middle, "min": min(samples), "max": max(samples), "spread": (high - low) / middle if middle else 0.0,
            "samples": len(samples)}


def amount(value, unit):
    if unit == "MB": return f"{value:.0f} MB"
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if value * factor >= 1 or name == "us": return f"{value * factor:.3g} {name}"


def cell(row, ours):
    """One entry: median ± spread, rate, ratio to ours."""
    if row is None: return ""
    if "error" in row: return "–" if row.get("absent") or OUTSIDE in row["error"] else "failed"
    text = f"{amount(row['median'], row['unit'])} ±{row['spread']:.0%}"
    if row.get("gflops"): text += f", {row['gflops']:.0f} GF/s"
    elif row.get("gbytes"): text += f", {row['gbytes']:.1f} GB/s"
    if ours and row is not ours and "median" in ours: text += f", **{row['median'] / ours['median']:.2f}**"
    return text


def markdown(rows, peers):
    """The whole comparison, a table for each number of threads; below it why a peer or a row is not there."""
    lines = []
    for threads in sorted({r["threads"] for r in rows}):
        mine = [r for r in rows if r["threads"] == threads]
        lines += ["", f"{threads} thread{'s' if threads > 1 else ''}; bold: times ours", "",
                  "| work | " + " | ".join(peers) + " |", "|---" * (len(peers) + 1) + "|"]
        for work in dict.fromkeys(r["work"] for r in mine):
            by_peer = {r["peer"]: r for r in mine if r["work"] == work}
            cells = [cell(by_peer.get(p), by_peer.get("ours")) for p in peers]
            lines.append(f"| {work} | " + " | ".join(cells) + " |")
    notes = dict.fromkeys(f"{r['peer']}: {r['work'] + ': ' if not r.get('absent') else ''}{r['error']}"
                          for r in rows if "error" in r and OUTSIDE not in r["error"])
    return "\n".join(lines + [""] + [f"- {note}" for note in notes])

"""The formulas of Tensor.rearrange: names of axes, groups in parentheses, '1' and '...'."""
import re

from tinygrad_cpp.helpers import prod


def _parse(side):
  """Groups of names: 'b (h w) ...' → [['b'], ['h', 'w'], ['...']]."""
  groups, inside = [], None
  for token in re.findall(r"\.\.\.|[()]|[^\s()]+", side):
    if token == "(":
      if inside is not None:
        raise ValueError(f"rearrange: parentheses inside parentheses: {side!r}")
      inside = []
    elif token == ")":
      if inside is None:
        raise ValueError(f"rearrange: a parenthesis is not opened: {side!r}")
      groups.append(inside)
      inside = None
    elif inside is None:
      groups.append([] if token == "1" else [token])
    elif token != "1":
      inside.append(token)
  if inside is not None:
    raise ValueError(f"rearrange: a parenthesis is not closed: {side!r}")
  return groups


def _expand_dots(left, right, ndim):
  """'...' on both sides replaced by names of the axes that it stands for."""
  dots = [g for g in left if "..." in g]
  if not dots:
    if any("..." in g for g in right):
      raise RuntimeError("rearrange: '...' stands on the right only")
    return left, right
  count = ndim - len(left) + 1
  if dots[0] != ["..."] or count < 0:
    raise RuntimeError("rearrange: '...' does not fit the axes")
  names = [f"...{i}" for i in range(count)]

  def replaced(groups, apart):
    out = []
    for group in groups:
      if group == ["..."] and apart:
        out += [[n] for n in names]
      else:
        out.append([m for n in group for m in (names if n == "..." else [n])])
    return out
  return replaced(left, True), replaced(right, True)


def _sizes_of(left, shape, known):
  """The size of each name."""
  sizes = {}
  for group, extent in zip(left, shape):
    free = [n for n in group if n not in known]
    product = prod(known[n] for n in group if n in known)
    if len(free) > 1:
      raise RuntimeError(f"rearrange: the sizes of {free} are not given")
    if (not free and product != extent) or (product and extent % product):
      raise RuntimeError(f"rearrange: {group} does not fit an axis of {extent}")
    for name in group:
      sizes[name] = known[name] if name in known else extent // product
  return sizes


def rearrange(x, formula, known):
  """See Tensor.rearrange."""
  if formula.count("->") != 1:
    raise RuntimeError(f"rearrange: expected one '->' in {formula!r}")
  left, right = (_parse(side) for side in formula.split("->"))
  left, right = _expand_dots(left, right, x.ndim)
  if len(left) != x.ndim:
    raise RuntimeError(f"rearrange: {formula!r} does not fit {x.ndim} axes")
  names = [n for group in left for n in group]
  wanted = [n for group in right for n in group]
  if len(set(names)) != len(names) or len(set(wanted)) != len(wanted):
    raise RuntimeError(f"rearrange: a name stands twice: {formula!r}")
  if sorted(names) != sorted(wanted):
    raise RuntimeError(f"rearrange: both sides name the same axes: {formula!r}")
  if set(known) - set(names):
    raise RuntimeError(f"rearrange: {sorted(set(known) - set(names))} do not occur in {formula!r}")
  sizes = _sizes_of(left, x.shape, known)
  split = x.reshape(tuple(sizes[n] for n in names))
  ordered = split.permute([names.index(n) for n in wanted]) if wanted else split
  return ordered.reshape(tuple(prod(sizes[n] for n in group) for group in right))

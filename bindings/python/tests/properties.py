"""What makes a decomposition or a draw right, as tensors that are the same for every implementation: signs of singular
vectors and random numbers are not. For tests of this package alone and beside tinygrad."""


def svd_facts(x, full):
  """Of the singular value decomposition: the values, what the factors multiply to, and U^T U and V^T V."""
  U, S, Vt = x.svd(full_matrices=full)
  kept = S.shape[-1]
  product = (U[..., :kept] * S.unsqueeze(-2)) @ Vt[..., :kept, :]
  return S, product, U.transpose(-2, -1) @ U, Vt @ Vt.transpose(-2, -1)


def permutation_facts(permutation):
  """The numbers in order."""
  return permutation.sort()[0]


def draw_facts(weights, replacement, count=8000):
  """Of `count` draws with these weights (a vector): whether each index comes as often as its weight says, within 5
  standard deviations; which part of the draws is an index at all; an element, for its dtype. Without replacement pairs
  are drawn, and the same is told of the second of each, and whether no pair is twice the same."""
  p = weights / weights.sum()
  if replacement:
    drawn = weights.multinomial(count, replacement=True)
    return *share_facts(drawn, p), drawn[:1] * 0
  drawn = weights.unsqueeze(0).expand(count, weights.shape[0]).contiguous().multinomial(2)
  first, second = drawn[:, 0], drawn[:, 1]
  odds = p / (1 - p)
  return (*share_facts(first, p), *share_facts(second, p * (odds.sum() - odds)), (first != second).all(),
          drawn[:1] * 0)


def share_facts(drawn, p):
  """Whether the indices come with the probabilities p, and which part of them is in range."""
  shares = drawn.one_hot(p.shape[0]).float().mean(0)
  return (shares - p).abs() <= 5 * (p * (1 - p) / drawn.shape[0]).maximum(0).sqrt(), shares.sum()

"""From the tensors of a GGUF file to the weights of a model: other names, other orders of rows, and
a check that all are there. Reading the file is gguf.py's part, the sizes are config.py's."""
from tinygrad_cpp.errors import FileError
from tinygrad_cpp.nn.state import get_state_dict

_SHOWN = 6  # names in an error


def halves_for_pairs(w, heads, first, count):
  """Rows [heads * D, ...] of a projection where of each head's D rows `count` from `first` on are
  turned: neighbours that were pairs become the same places of two halves, as apply_rope pairs
  them."""
  rest = w.shape[1:]
  rows = w.reshape(heads, -1, *rest)
  turned = rows[:, first:first + count].reshape(heads, count // 2, 2, *rest).transpose(1, 2)
  parts = [rows[:, :first], turned.reshape(heads, count, *rest), rows[:, first + count:]]
  parts = [p for p in parts if p.shape[1]]
  return parts[0].cat(*parts[1:], dim=1).reshape(-1, *rest)


def _in_halves(name, w, config, arch):
  """A weight of files that pair neighbours (Llama's and those with compressed keys), reordered."""
  kind = name.split(".", 2)[2] if name.startswith("blk.") else name
  if config.kv_lora_rank:
    if kind in ("attn_q.weight", "attn_q_b.weight"):
      first = config.head_dim - config.rope_dim
      return halves_for_pairs(w, config.n_heads, first, config.rope_dim)
    if kind == "attn_kv_a_mqa.weight":
      return halves_for_pairs(w, 1, config.kv_lora_rank, config.rope_dim)
    return w
  if arch == "llama" and kind in ("attn_q.weight", "attn_q.bias"):
    return halves_for_pairs(w, config.n_heads, 0, config.rope_dim)
  if arch == "llama" and kind in ("attn_k.weight", "attn_k.bias"):
    return halves_for_pairs(w, config.n_kv_heads, 0, config.rope_dim)
  return w


def _kimi_names(state, recurrent):
  """Kimi's recurrent blocks keep apart what delta_net.py has in one: queries, keys, values, and the
  windows over them."""
  for i in (i for i, is_recurrent in enumerate(recurrent) if is_recurrent):
    def joined(pattern, i=i):
      q, k, v = (state.pop(f"blk.{i}.{pattern.format(part)}.weight") for part in "qkv")
      return q.cat(k, v, dim=0)
    if f"blk.{i}.attn_q.weight" in state:
      state[f"blk.{i}.attn_qkv.weight"] = joined("attn_{}").contiguous()
      state[f"blk.{i}.ssm_conv1d.weight"] = joined("ssm_conv1d_{}").squeeze(1).contiguous()
      state[f"blk.{i}.ssm_out.weight"] = state.pop(f"blk.{i}.attn_output.weight")


def weights_of(state, config, arch):
  """The tensors of a file by the names of the model, in the orders of its layers. `state` is used
  up."""
  if "output.weight" not in state and "token_embd.weight" in state:
    state["output.weight"] = state["token_embd.weight"]  # one table for both ends
  if arch == "kimi-linear":
    _kimi_names(state, config.ssm_layers)
    return state
  if arch in ("qwen35", "qwen35moe", "glm4moe"):
    state = {name.replace("post_attention_norm", "ffn_norm"): w for name, w in state.items()}
  return {name: _in_halves(name, w, config, arch) for name, w in state.items()}


def _listed(names):
  more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
  return ", ".join(names[:_SHOWN]) + more


def load_weights(model, state):
  """Makes the tensors of the model names of those of the file, which are not copied: quantised ones
  stay quantised and become floats in the kernels that read them. FileError if some are missing or
  of other shapes."""
  there = get_state_dict(model)
  missing = [name for name in there if name not in state]
  if missing:
    raise FileError(f"from_gguf: the file lacks weights: {_listed(missing)}. Hint: a file of "
                    "several parts is loaded by the first; older files may have to be converted again.")
  wrong = [f"{name} {state[name].shape} instead of {w.shape}" for name, w in there.items()
           if state[name].shape != w.shape]
  if wrong:
    raise FileError("from_gguf: weights have other shapes than the file's facts say: "
                    f"{_listed(wrong)}.")
  for name, w in there.items():
    w.replace(state[name])

"""The command line of language models: a chat in the terminal, a server (serve.py), a measurement
of speed. Also the names of tinygrad's llm.cli: SimpleTokenizer (tokenizer.py), FallbackTemplate
(templates.py), and `models`, which says where known models are."""
import argparse
import os
import sys
import time

from tinygrad_cpp import nn
from tinygrad_cpp.errors import ArgumentError, Error
from tinygrad_cpp.helpers import DEBUG, GlobalCounters, Timing, fetch
from tinygrad_cpp.llm.model import Transformer
from tinygrad_cpp.llm.templates import FallbackTemplate, chat_template  # noqa: F401
from tinygrad_cpp.llm.tokenizer import SimpleTokenizer

# name → (who offers it, their name of it, the file's ending)
_MODELS = {
  "llama3.2:1b": ("bartowski", "Llama-3.2-1B-Instruct", "Q6_K"),
  "llama3.2:1b-q4": ("bartowski", "Llama-3.2-1B-Instruct", "Q4_K_M"),
  "llama3.2:3b": ("bartowski", "Llama-3.2-3B-Instruct", "Q6_K"),
  "llama3.2:3b-f16": ("bartowski", "Llama-3.2-3B-Instruct", "f16"),
  "llama3.1:8b": ("bartowski", "Meta-Llama-3.1-8B-Instruct", "Q8_0"),
  "qwen3:0.6b": ("Qwen", "Qwen3-0.6B", "Q8_0"),
  "qwen3:1.7b": ("unsloth", "Qwen3-1.7B", "Q4_K_M"),
  "qwen3:8b": ("Qwen", "Qwen3-8B", "Q4_K_M"),
  "qwen3:30b-a3b": ("Qwen", "Qwen3-30B-A3B", "Q4_K_M"),
  "qwen3.5:0.8b": ("unsloth", "Qwen3.5-0.8B", "Q8_0"),
  "qwen3.5:4b": ("unsloth", "Qwen3.5-4B", "Q4_K_M"),
  "qwen3.5:9b": ("unsloth", "Qwen3.5-9B", "Q4_K_M"),
  "qwen3.6:27b": ("unsloth", "Qwen3.6-27B", "Q4_K_M"),
  "qwen3.6:35b-a3b": ("unsloth", "Qwen3.6-35B-A3B", "UD-Q4_K_M"),
  "olmoe": ("allenai", "OLMoE-1B-7B-0924-Instruct", "q4_k_m"),
  "moonlight": ("gabriellarson", "Moonlight-16B-A3B-Instruct", "Q4_K_M"),
  "glm-4.7-flash": ("unsloth", "GLM-4.7-Flash", "Q4_K_M"),
}


def _address(owner, name, kind):
  file = f"{name.lower() if owner == 'allenai' else name}-{kind}.gguf"
  return f"https://huggingface.co/{owner}/{name}-GGUF/resolve/main/{file}"


models = {name: _address(*parts) for name, parts in _MODELS.items()}

_EXAMPLES = """
A model is a name of the list, an address (https://...) or a GGUF file; files from the net are
downloaded once, into the cache. Without --serve and --benchmark it chats in the terminal: Ctrl-C
ends an answer, Ctrl-D the chat.

environment: REALIZE=1 keeps weights as float16, which is faster and takes more memory than the
file; DEV names the device, DEBUG=1 shows more.

known models: """ + ", ".join(models)


def _at_least(low, high=None):
  """A whole number of an option, within bounds."""
  def number(text):
    value = int(text)
    if value < low or (high is not None and value > high):
      raise argparse.ArgumentTypeError(f"{value} is {'no port' if high else f'less than {low}'}")
    return value
  number.__name__ = "number"
  return number


def _temperature(text):
  value = float(text)
  if not 0 <= value < float("inf"):
    raise argparse.ArgumentTypeError(f"{text} is no number of at least 0")
  return value


def parser():
  """The options of the command line."""
  p = argparse.ArgumentParser(
    prog="python -m tinygrad_cpp.llm",
    description="Runs a language model from a GGUF file: a chat, or a server.",
    epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
  p.add_argument("--model", "-m", default=next(iter(models)), metavar="MODEL",
                 help="name, address or GGUF file of the model (default: %(default)s)")
  p.add_argument("--max_context", "--max-context", type=_at_least(1), default=4096,
                 metavar="TOKENS", help="longest text, prompt and answer together (default: "
                 "%(default)s, at most what the model has)")
  p.add_argument("--temperature", type=_temperature, default=0.0, metavar="T",
                 help="of the chat: 0 takes the likeliest token, 1 draws as the model says "
                 "(default: 0)")
  p.add_argument("--serve", nargs="?", type=_at_least(0, 65535), const=8000, metavar="PORT",
                 help="serve OpenAI's API of chats, and a page to chat on (default port: 8000; "
                 "0: a free one)")
  p.add_argument("--host", default="127.0.0.1", metavar="ADDRESS",
                 help="where --serve listens (default: %(default)s, this machine only; "
                 "0.0.0.0: the whole net)")
  p.add_argument("--warmup", action="store_true",
                 help="compile before the first answer; --serve always does")
  p.add_argument("--benchmark", nargs="?", type=_at_least(1), const=20, metavar="COUNT",
                 help="time so many tokens (default: 20) and end")
  return p


def _file_of(name):
  """The path of a model by its name, address or path. ArgumentError if there is none."""
  path = fetch(models.get(name, name))
  if not path.is_file():
    raise ArgumentError(f"--model: there is no such file, and no model of that name: {name!r}. "
                        "Hint: --help lists the names.")
  return path


def _load(args):
  """(model, its name, its facts)"""
  path = _file_of(args.model)
  model, kv = Transformer.from_gguf(path, args.max_context)
  parameters = nn.state.get_parameters(model)
  name = kv.get("general.name") or kv.get("general.basename") or args.model
  count = sum(p.numel() for p in parameters)
  print(f"using model \"{name}\" with {os.path.getsize(path):,} bytes and {count:,} params, "
        f"max context {model.max_context} on {parameters[0].device}", flush=True)
  return model, name, kv


def serve(args, model, name, tok, template):
  """Answers requests until Ctrl-C."""
  from tinygrad_cpp.llm.serve import LLMServer  # what only servers need is read by them
  try:
    server = LLMServer((args.host, args.serve), model, name, tok, template)
  except OSError as error:
    raise ArgumentError(f"--serve: cannot listen on {args.host}:{args.serve}: {error.strerror}. "
                        "Hint: another port, for example --serve 8001.") from None
  sys.stdout.flush()  # the server has said where it is
  try:
    server.serve_forever()
  except KeyboardInterrupt:
    print("\nstopping", file=sys.stderr)
  finally:
    server.server_close()


def benchmark(model, tok, count):
  """Prints how long each of some tokens takes."""
  tokens = [tok.bos_id or 0]
  stream = model.generate(tokens)

  def rest(ns):
    c = GlobalCounters
    return (f", {1e9 / ns:6.2f} tok/s, {c.global_mem / ns:7.2f} GB/s, {c.global_mem // 1000000}/"
            f"{c.mem_used // 1000000} MB  --  " + tok.decode(tokens).replace("\n", "\\n"))
  for _ in range(count):
    GlobalCounters.reset()
    with Timing(on_exit=rest):
      if next(stream, None) is None:
        break
  if len(tokens) <= count:
    print(f"the context is full after {len(tokens)} tokens")


def _prompt(model, tok, template, messages):
  """The tokens of a conversation; drops its oldest turns while they leave no place for an
  answer."""
  while True:
    ids = tok.encode(template.render(messages=messages, add_generation_prompt=True))
    if len(ids) < model.max_context or len(messages) == 1:
      return ids
    del messages[:2]
    print("[the context is full: the oldest turn is forgotten]")


def _answer(model, tok, ids, temperature):
  """Prints an answer as it comes, and gives it. Ctrl-C ends it."""
  reply, decode = "", tok.stream_decoder()
  end = "[the context is full]"
  try:
    for token in model.generate(ids, temperature=temperature):
      if tok.is_end(token):
        end = ""
        break
      piece = decode(token)
      reply += piece
      print(piece, end="", flush=True)
  except KeyboardInterrupt:
    end = "[interrupted]"
  rest = decode()
  print(rest + end + "\n")
  return reply + rest


def chat(model, tok, template, temperature=0.0):
  """Asks and answers in the terminal until the input ends, or Ctrl-C where it asks."""
  messages = []
  while True:
    try:
      messages.append({"role": "user", "content": input(">>> ")})
    except (EOFError, KeyboardInterrupt):
      print()
      return
    try:
      ids = _prompt(model, tok, template, messages)
      reply = _answer(model, tok, ids, temperature)
    except Error as error:
      messages.pop()
      print(f"error: {error}")
      continue
    messages.append({"role": "assistant", "content": reply})


def _run(args):
  begin = time.perf_counter()
  model, name, kv = _load(args)
  tok = SimpleTokenizer.from_gguf_kv(kv)
  template = chat_template(kv, tok)
  if args.warmup or args.serve is not None:
    model.warmup()
    print(f"ready after {time.perf_counter() - begin:.1f} s", flush=True)
  if args.serve is not None:
    serve(args, model, name, tok, template)
  elif args.benchmark is not None:
    benchmark(model, tok, args.benchmark)
  else:
    chat(model, tok, template, args.temperature)


def main():
  """The command line. Exits with 1 and one line on standard error after a mistake; DEBUG=1 in the
  environment shows where it was made."""
  args = parser().parse_args()
  try:
    _run(args)
  except KeyboardInterrupt:
    sys.exit(130)
  except (Error, OSError) as error:
    if DEBUG >= 1:
      raise
    sys.exit(f"error: {error}")


if __name__ == "__main__":
  main()

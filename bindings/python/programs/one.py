"""Runs one program of tinygrad's in this process, word for word: `one.py SPEC` where SPEC is a JSON file of run.py.
The program is read from a checkout of tinygrad; `impl` says whether its `import tinygrad` finds tinygrad or this package.
What is not the program's own is made smaller or put there: numbers of sizes (`sizes`, pairs of texts), and files
that it would download (`files`, the end of a URL → a file)."""
import builtins
import importlib.abc
import importlib.util
import io
import json
import os
import sys
import urllib.request


class _Response(io.BytesIO):
  """A file as an answer of a server."""

  def __init__(self, data, url):
    super().__init__(data)
    self.url, self.status, self.headers = url, 200, {"content-length": str(len(data)), "Content-Length": str(len(data))}

  def geturl(self):
    return self.url


def answer_downloads(files):
  """Every download takes a prepared file; what is not there is an error, for there is no net."""
  def urlopen(request, *args, **kwargs):
    url = request if isinstance(request, str) else request.full_url
    for end, path in files.items():
      if end in url:
        with open(path, "rb") as file:
          return _Response(file.read(), url)
    raise OSError(f"no file was prepared for {url}")
  urllib.request.urlopen = urlopen


def prepare_tokenizers(files):
  """tiktoken's encodings by name from a vocabulary in a file, and its reader of local files without the net."""
  if "gpt2.tiktoken" not in files:
    return
  import base64
  import tiktoken
  with open(files["gpt2.tiktoken"], encoding="utf-8") as file:
    ranks = {base64.b64decode(word): int(rank) for word, rank in (line.split() for line in file if line.strip())}
  pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
  tiktoken.get_encoding = lambda name: tiktoken.Encoding(name=name, pat_str=pattern, mergeable_ranks=ranks,
                                                        special_tokens={"<|endoftext|>": len(ranks)})


def source(path, sizes):
  """The program's text with other sizes; each must be in it."""
  with open(path, encoding="utf-8") as file:
    text = file.read()
  for old, new in sizes:
    if old not in text:
      raise SystemExit(f"{path} does not say {old!r}")
    text = text.replace(old, new)
  return text


class _OfTheProgram(importlib.abc.MetaPathFinder):
  """Finds modules by name in the checkout: those of a program that tinygrad keeps inside its package."""

  def __init__(self, root, modules):
    self.paths = {name: os.path.join(root, *name.split(".")) + ".py" for name in modules}

  def find_spec(self, fullname, path=None, target=None):
    if fullname not in self.paths:
      return None
    return importlib.util.spec_from_file_location(fullname, self.paths[fullname])


def use_package(spec):
  """Makes `import tinygrad` find the package that is asked for."""
  if spec["impl"] == "tinygrad":
    return
  import tinygrad_cpp
  tinygrad_cpp.install_as_tinygrad()
  sys.meta_path.insert(0, _OfTheProgram(spec["root"], spec["modules"]))
  from tinygrad_cpp.nn import datasets
  datasets._CIFAR = (datasets._CIFAR[0], None)  # pictures made at random have no published sum


def main():
  with open(sys.argv[1], encoding="utf-8") as file:
    spec = json.load(file)
  root, path = spec["root"], os.path.join(spec["root"], spec["path"])
  sys.path[:0] = [os.path.dirname(path), root]
  use_package(spec)
  answer_downloads(spec["files"])
  prepare_tokenizers(spec["files"])
  if spec.get("stdin"):
    lines = iter(spec["stdin"])
    def read(prompt=""):
      print(prompt, end="")
      line = next(lines, None)
      if line is None:
        raise EOFError
      return line
    builtins.input = read
  sys.argv = [path, *spec["args"]]
  scope = {"__name__": "__main__", "__file__": path, "__builtins__": builtins}
  sys.modules["__main__"].__dict__.update(scope)
  exec(compile(source(path, spec["sizes"]), path, "exec"), sys.modules["__main__"].__dict__)


if __name__ == "__main__":
  main()

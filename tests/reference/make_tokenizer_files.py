#!/usr/bin/env python3
"""Small tokenizers in the file forms other than tokenizer.json, with what the libraries that wrote them make of strange texts.

  make_tokenizer_files.py FOLDER                writes FOLDER/NAME/ (the files) and FOLDER/NAME.cases.json, which
                                                tests/unit/frontend/tokenizer/tokenizer_files_test.cpp reads
  make_tokenizer_files.py --compare TG --texts 20000 [--seed N] [--only NAME] [--more FOLDER]
                                                as many new texts a kind, beside the command `TG tokenize`, also with tables
                                                that are too large to be kept; FOLDER has published files, if there is one

Run by hand (needs `pip install tokenizers sentencepiece protobuf tiktoken transformers`). Texts are those of
make_tokenizers.py."""
import argparse
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import make_tokenizers as texts

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as messages

CASES = 40


class SentencePiece:
  """A model of SentencePiece and what its library makes of texts. `begins` and `ends`: tokens that are to be added."""

  def __init__(self, settings=None, change=None, config=None, begins=False, ends=False, name="tokenizer.model", **options):
    model = io.BytesIO()
    options = {"hard_vocab_limit": False, "minloglevel": 2, "model_type": "unigram", "vocab_size": 300, **options}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts.CORPUS * 3), model_writer=model, **options)
    message = messages.ModelProto.FromString(model.getvalue())
    message.normalizer_spec.normalization_rule_tsv = ""  # the name of a file that is gone
    if change:
      change(message)
    self.bytes = message.SerializeToString()
    self.library = sentencepiece.SentencePieceProcessor(model_proto=self.bytes)
    self.config, self.name = config, name
    self.begin = [self.library.bos_id()] if begins else []
    self.end = [self.library.eos_id()] if ends else []

  def write(self, folder):
    (folder / self.name).write_bytes(self.bytes)
    if self.config:
      (folder / "tokenizer_config.json").write_text(json.dumps(self.config) + "\n")

  def expected(self, x):
    plain = self.library.encode(x)
    return {"ids": self.begin + plain + self.end, "plain": plain, "text": self.library.decode(plain)}

  def decoded(self, ids):
    return {"text": self.library.decode(ids)}

  def suits(self, x):  # the library never finds these in a text, others do
    return not any(self.library.id_to_piece(i) in x for i in range(len(self.library)) if self.library.is_control(i))

  def tokens(self):  # a control token among the bytes of a letter parts them in the library, and is left out before that here
    return [i for i in range(len(self.library)) if not self.library.is_control(i)]


def rules():
  """Ligatures, a fraction, a letter with a mark of its own, a space of another width, and letters that vanish."""
  lines = ["FB01\t66 69", "BD\t20 31 20 32", "41 30A\tC5", "3000\t20", "9\t20", "A\t20", "AB\t", "301\t", "41 31\t42"]
  file = tempfile.NamedTemporaryFile("w", suffix=".tsv")
  file.write("\n".join(lines) + "\n")
  file.flush()
  return file


def retyped(share, number):
  """Gives a share of the normal pieces another type."""
  def change(message):
    r = random.Random(7)
    for p in message.pieces:
      if p.type == 1 and len(p.piece) > 1 and r.random() < share:
        p.type = number
  return change


def sp_unigram():
  with rules() as file:
    return SentencePiece(normalization_rule_tsv=file.name, user_defined_symbols=["tok", "<mask>", "[MASK]", " x"], ends=True)


def sp_unigram_bytes():
  return SentencePiece(byte_fallback=True, vocab_size=500, normalization_rule_name="identity", remove_extra_whitespaces=False,
                       ends=True, name="spiece.model", config={"tokenizer_class": "T5Tokenizer", "extra_ids": 0})


def sp_unigram_suffix():
  return SentencePiece(treat_whitespace_as_suffix=True, normalization_rule_name="identity", change=retyped(.1, 5),
                       config={"add_bos_token": True, "add_eos_token": True}, begins=True, ends=True)


def sp_bpe():
  return SentencePiece(model_type="bpe", byte_fallback=True, vocab_size=600, normalization_rule_name="identity",
                       remove_extra_whitespaces=False, begins=True, config={"tokenizer_class": "LlamaTokenizer"})


def sp_bpe_defined():
  with rules() as file:
    return SentencePiece(model_type="bpe", normalization_rule_tsv=file.name, user_defined_symbols=["tok", "<mask>", "\n", "  "],
                         character_coverage=.98, begins=True, change=retyped(.2, 5))


def with_spaces(message):
  """Spells spaces as spaces, which the trainer of BPE does not."""
  message.normalizer_spec.escape_whitespaces = False
  for p in message.pieces:
    p.piece = p.piece.replace("▁", " ")


def sp_bpe_bare():
  return SentencePiece(model_type="bpe", add_dummy_prefix=False, change=with_spaces, byte_fallback=True, vocab_size=500,
                       normalization_rule_name="identity", remove_extra_whitespaces=False, begins=True, ends=True,
                       config={"tokenizer_class": "GemmaTokenizer", "add_eos_token": True})


def sp_bpe_suffix():
  return SentencePiece(model_type="bpe", treat_whitespace_as_suffix=True, normalization_rule_name="identity", begins=True)


def published_rules(model_type, name, **options):
  return lambda: SentencePiece(model_type=model_type, normalization_rule_name=name, vocab_size=600, begins=model_type == "bpe",
                               ends=model_type == "unigram", **options)


KEPT = {f.__name__: f for f in (sp_unigram, sp_unigram_bytes, sp_unigram_suffix, sp_bpe, sp_bpe_defined, sp_bpe_bare,
                                sp_bpe_suffix)}
LARGE = {f"sp_{kind}_{name}": published_rules(kind, name, byte_fallback=name == "nfkc")
         for kind in ("unigram", "bpe") for name in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf")}


def drawn(kind, r, n):
  out = []
  while len(out) < n:
    x = texts.text(r)
    if kind.suits(x):
      out.append(x)
  return out


def drawn_ids(kind, r):
  tokens = kind.tokens()
  return [r.choice(tokens) for _ in range(r.randrange(12))]


def write(folder):
  folder = pathlib.Path(folder)
  for name, make in KEPT.items():
    kind, r = make(), random.Random(name)
    (folder / name).mkdir(parents=True, exist_ok=True)
    kind.write(folder / name)
    cases = [{"of": x, **kind.expected(x)} for x in drawn(kind, r, CASES)]
    cases += [{"tokens": ids, **kind.decoded(ids)} for ids in (drawn_ids(kind, r) for _ in range(CASES // 2))]
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (folder / f"{name}.cases.json").write_text(f"[\n{lines}\n]\n")


def compare_kind(tg, name, kind, n, seed):
  r = random.Random(f"{seed} {name}")
  asked = drawn(kind, r, n) + [drawn_ids(kind, r) for _ in range(n)]
  with tempfile.TemporaryDirectory() as folder:
    kind.write(pathlib.Path(folder))
    ran = subprocess.run([tg, "tokenize", "--json", folder], input="".join(json.dumps(x) + "\n" for x in asked),
                         capture_output=True, text=True)
  if ran.returncode:
    print(f"{name}: {ran.stderr}")
    return 1
  different = 0
  for x, line in zip(asked, ran.stdout.splitlines(), strict=True):
    ours, theirs = json.loads(line), kind.expected(x) if isinstance(x, str) else kind.decoded(x)
    ours = {key: ours.get(key) for key in theirs}
    if ours == theirs:
      continue
    different += 1
    if different <= 3:
      print(f"  {name}: {x!r}\n    ours   {ours}\n    theirs {theirs}")
  print(f"{name}: {different} of {n} texts and {n} lists of tokens differ", flush=True)
  return different


def compare(tg, n, seed, only):
  print(f"seed {seed}")
  kinds = {**KEPT, **LARGE}
  return sum(compare_kind(tg, name, make(), n, seed) for name, make in kinds.items() if not only or only in name)


if __name__ == "__main__":
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("folder", nargs="?")
  parser.add_argument("--compare", metavar="TG")
  parser.add_argument("--texts", type=int, default=20000)
  parser.add_argument("--seed", type=int, default=random.randrange(10**6))
  parser.add_argument("--only")
  arguments = parser.parse_args()
  if arguments.compare:
    sys.exit(1 if compare(arguments.compare, arguments.texts, arguments.seed, arguments.only) else 0)
  if not arguments.folder:
    parser.error("name a folder, or --compare")
  write(arguments.folder)

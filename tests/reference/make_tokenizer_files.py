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
import base64
import functools
import gzip
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import make_tokenizers as texts

import sentencepiece
import tiktoken
import transformers
from sentencepiece import sentencepiece_model_pb2 as messages
from tiktoken_ext import openai_public
from transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode

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
    self.config, self.name, self.specials = config, name, {}
    self.encoding = None
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


class Tiktoken:
  """Byte pairs trained by `tokenizers`, as a file of tiktoken; what its library makes of texts with an encoding's pattern."""

  def __init__(self, pattern, first_special, specials, encoding=None, ranks=None, config=None, begin=(), name="small.tiktoken"):
    self.ranks = ranks or self.trained()
    first = len(self.ranks) if first_special is None else first_special
    self.specials = {text: first + i for i, text in enumerate(specials)} if isinstance(specials, list) else specials
    self.library = tiktoken.Encoding("small", pat_str=pattern, mergeable_ranks=self.ranks, special_tokens=self.specials)
    self.encoding, self.config, self.name = encoding, config, name
    self.begin = [self.specials[t] for t in begin]

  @staticmethod
  def trained():
    t = texts.gpt2()
    letters = {c: b for b, c in bytes_to_unicode().items()}
    words = sorted((i, w) for w, i in t.get_vocab(with_added_tokens=False).items() if not w.startswith("<|"))
    return {bytes(letters[c] for c in w): rank for rank, (_, w) in enumerate(words)}

  def write(self, folder):
    lines = [f"{base64.b64encode(token).decode() or '='} {rank}\n" for token, rank in self.ranks.items()]
    (folder / self.name).write_text("".join(lines))
    if self.config:
      (folder / "config.json").write_text(json.dumps(self.config) + "\n")

  def expected(self, x):
    ids = self.begin + self.library.encode(x, allowed_special="all")
    return {"ids": ids, "plain": ids[len(self.begin):], "all": self.library.decode(ids)}

  def decoded(self, ids):
    return {"all": self.library.decode(ids)}

  def suits(self, x):
    return True

  def tokens(self):
    return [i for token, i in self.ranks.items() if token] + list(self.specials.values())


class Words:
  """Files of an older `transformers`: what its class makes of texts. `files` maps names to texts, or to what becomes JSON."""

  def __init__(self, cls, files, decodes_lists=True):
    self.files, self.specials, self.encoding, self.decodes_lists = files, {}, None, decodes_lists
    with tempfile.TemporaryDirectory() as folder:
      self.write(pathlib.Path(folder))
      self.library = cls.from_pretrained(folder, clean_up_tokenization_spaces=False)
    self.specials = {t.content: i for i, t in self.library.added_tokens_decoder.items()}

  def write(self, folder):
    for name, content in self.files.items():
      text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) + "\n"
      (folder / name).write_text(text)

  def expected(self, x):
    ids = self.library.encode(x)
    out = {"ids": ids, "plain": self.library.encode(x, add_special_tokens=False)}
    return {**out, **self.decoded(ids)}

  def decoded(self, ids):
    if not self.decodes_lists:
      return {}
    return {"text": self.library.decode(ids, skip_special_tokens=True), "all": self.library.decode(ids)}

  def suits(self, x):
    return True

  def tokens(self):
    return list(range(len(self.library)))


def lines_of(tokenizer):
  words = sorted((i, w) for w, i in tokenizer.get_vocab().items())
  return "".join(w + "\n" for _, w in words)


def pairs_of(tokenizer, more=()):
  model = json.loads(tokenizer.to_str())["model"]
  words = model["vocab"]
  words.update({w: len(words) + i for i, w in enumerate(w for w in more if w not in words)})
  pairs = (m if isinstance(m, str) else " ".join(m) for m in model["merges"])
  return {"vocab.json": words, "merges.txt": "".join(["#version: 0.2\n", *(m + "\n" for m in pairs)])}


def wp_bert():
  return Words(transformers.BertTokenizerFast, {"vocab.txt": lines_of(texts.bert()) + "[PAD]\n"})


def wp_bert_cased():
  config = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "tokenize_chinese_chars": False,
            "strip_accents": True, "cls_token": "<start>"}
  end = {"content": "<end>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}
  return Words(transformers.BertTokenizerFast,
               {"vocab.txt": lines_of(texts.bert_cased()) + "[PAD]\n[MASK]\n<start>\n<end>\n", "tokenizer_config.json": config,
                "special_tokens_map.json": {"sep_token": end}})


def bp_gpt2():
  config = {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}
  return Words(transformers.GPT2TokenizerFast, {**pairs_of(texts.gpt2()), "tokenizer_config.json": config})


def bp_roberta():
  more = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
  return Words(transformers.RobertaTokenizerFast, pairs_of(texts.gpt2(), more))


def bp_whisper():
  added = ["<|startoftranscript|>", "<|en|>", "<|notimestamps|>", "<|0.00|>"]
  files = pairs_of(texts.gpt2())
  first = len(files["vocab.json"])
  return Words(transformers.WhisperTokenizerFast,
               {**files, "added_tokens.json": {w: first + i for i, w in enumerate(added)},
                "special_tokens_map.json": {"additional_special_tokens": added[:3]}, "config.json": {"model_type": "whisper"}},
               False)


def bp_qwen2():
  files = pairs_of(texts.gpt2())
  first = len(files["vocab.json"])
  decoder = {str(first + i): {"content": w, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False,
                              "special": i < 2} for i, w in enumerate(["<|im_start|>", "<|im_end|>", "<tool>"])}
  config = {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": decoder, "eos_token": "<|im_end|>"}
  return Words(transformers.Qwen2TokenizerFast, {**files, "tokenizer_config.json": config})


def bp_clip():
  t = texts.built(texts.models.BPE(end_of_word_suffix="</w>"),
                  texts.N.Lowercase(), texts.P.Sequence([texts.P.Split(texts.Regex(r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed",
                                                                  invert=True), texts.P.ByteLevel(add_prefix_space=False)]))
  alphabet = [*texts.ALPHABET, *(c + "</w>" for c in texts.ALPHABET)]
  texts.trained(t, texts.trainers.BpeTrainer, 700, ["<|startoftext|>", "<|endoftext|>", *alphabet], end_of_word_suffix="</w>")
  files = pairs_of(t)
  return Words(transformers.CLIPTokenizerFast, files, False)  # it strips white space of all kinds from decoded texts


def published_clip(folder):
  """open_clip_torch's list of merges, as its published vocabulary is made of it."""
  lines = gzip.open(folder / "bpe_simple_vocab_16e6.txt.gz").read().decode().split("\n")[1:49152 - 256 - 2 + 1]
  letters = list(bytes_to_unicode().values())
  words = [*letters, *(c + "</w>" for c in letters), *("".join(line.split()) for line in lines), "<|startoftext|>", "<|endoftext|>"]
  return Words(transformers.CLIPTokenizerFast, {"vocab.json": {w: i for i, w in enumerate(words)},
                                                "merges.txt": "".join(["#version: 0.2\n", *(line + "\n" for line in lines)])},
               False)


GPT2 = openai_public.r50k_pat_str
WHISPER = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
QWEN = texts.GPT4.replace("{1,3}", "")
CL100K = (r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
          r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s""")


def tt_gpt2():
  return Tiktoken(GPT2, 50256, ["<|endoftext|>"], encoding="gpt2")


def tt_cl100k():
  specials = {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260,
              "<|endofprompt|>": 100276}
  return Tiktoken(CL100K, None, specials, encoding="cl100k_base")


def tt_o200k():
  return Tiktoken(texts.O200K, None, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}, encoding="o200k_base")


def tt_llama3():
  specials = ["<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>", "<|reserved_special_token_1|>",
              "<|finetune_right_pad_id|>", "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>",
              "<|eot_id|>", "<|python_tag|>", "<|image|>", *[f"<|reserved_special_token_{i}|>" for i in range(2, 246)]]
  return Tiktoken(texts.GPT4, None, specials, config={"model_type": "llama"}, begin=["<|begin_of_text|>"],
                  name="tokenizer.model")


def tt_qwen():
  specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *[f"<|extra_{i}|>" for i in range(205)]]
  return Tiktoken(QWEN, None, specials, config={"model_type": "qwen"}, name="qwen.tiktoken")


def whisper(name, languages, config):
  """The published file of openai-whisper, from the folder of --more."""
  def make(folder):
    lines = (line.split() for line in (folder / name).read_text().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    known = re.findall(r'^    "(\w+)": "', (folder / "../tokenizer.py").read_text().split("LANGUAGES = {")[1].split("}")[0], re.M)
    specials = ["<|endoftext|>", "<|startoftranscript|>", *[f"<|{code}|>" for code in known[:languages]], "<|translate|>",
                "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>",
                *[f"<|{i * 0.02:.2f}|>" for i in range(1501)]]
    return Tiktoken(WHISPER, None, specials, ranks=ranks, config=config, name=name)
  return make


KEPT = {f.__name__: f for f in (sp_unigram, sp_unigram_bytes, sp_unigram_suffix, sp_bpe, sp_bpe_defined, sp_bpe_bare,
                                sp_bpe_suffix, tt_gpt2, tt_cl100k, tt_o200k, tt_llama3, tt_qwen, wp_bert, wp_bert_cased, bp_gpt2,
                                bp_roberta, bp_whisper, bp_qwen2, bp_clip)}
LARGE = {f"sp_{kind}_{name}": published_rules(kind, name, byte_fallback=name == "nfkc")
         for kind in ("unigram", "bpe") for name in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf")}
WHISPER_SETTINGS = {"model_type": "whisper", "vocab_size": 51866}
PUBLISHED = {"tt_whisper": whisper("multilingual.tiktoken", 99, None), "tt_whisper_gpt2": whisper("gpt2.tiktoken", 99,
             {"model_type": "whisper"}), "bp_published_clip": published_clip, "tt_whisper_v3": whisper("multilingual.tiktoken", 100, WHISPER_SETTINGS)}


def drawn(kind, r, n):
  out = []
  while len(out) < n:
    x = texts.text(r)
    if kind.specials and r.random() < .1:
      at = r.randrange(len(x) + 1)
      x = x[:at] + r.choice(list(kind.specials)) + x[at:]
    if kind.suits(x):
      out.append(x)
  return out


def drawn_ids(kind, r, n):
  tokens = kind.tokens()
  return [[r.choice(tokens) for _ in range(r.randrange(12))] for _ in range(n)]


def write(folder):
  folder = pathlib.Path(folder)
  for name, make in KEPT.items():
    kind, r = make(), random.Random(name)
    (folder / name).mkdir(parents=True, exist_ok=True)
    kind.write(folder / name)
    cases = [{"of": x, **kind.expected(x)} for x in drawn(kind, r, CASES)]
    cases += [{"tokens": ids, **kind.decoded(ids)} for ids in drawn_ids(kind, r, CASES // 2)]
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (folder / f"{name}.cases.json").write_text(
        f'{{"encoding": "{kind.encoding or ""}", "cases": [\n{lines}\n]}}\n')


def compare_kind(tg, name, kind, n, seed):
  r = random.Random(f"{seed} {name}")
  asked = drawn(kind, r, n) + drawn_ids(kind, r, n)
  with tempfile.TemporaryDirectory() as folder:
    kind.write(pathlib.Path(folder))
    encoding = [f"--encoding={kind.encoding}"] if kind.encoding else []
    ran = subprocess.run([tg, "tokenize", "--json", *encoding, folder], input="".join(json.dumps(x) + "\n" for x in asked),
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


def compare(tg, n, seed, only, published):
  print(f"seed {seed}")
  kinds = {**KEPT, **LARGE}
  if published:
    kinds.update({name: functools.partial(make, pathlib.Path(published)) for name, make in PUBLISHED.items()})
  return sum(compare_kind(tg, name, make(), n, seed) for name, make in kinds.items() if not only or only in name)


if __name__ == "__main__":
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("folder", nargs="?")
  parser.add_argument("--compare", metavar="TG")
  parser.add_argument("--texts", type=int, default=20000)
  parser.add_argument("--seed", type=int, default=random.randrange(10**6))
  parser.add_argument("--only")
  parser.add_argument("--more")
  arguments = parser.parse_args()
  if arguments.compare:
    sys.exit(1 if compare(arguments.compare, arguments.texts, arguments.seed, arguments.only, arguments.more) else 0)
  if not arguments.folder:
    parser.error("name a folder, or --compare")
  write(arguments.folder)

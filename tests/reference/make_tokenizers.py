#!/usr/bin/env python3
"""Small tokenizers of each published kind, with what the package `tokenizers` makes of strange texts.

  make_tokenizers.py FOLDER                     writes FOLDER/NAME.json and FOLDER/NAME.cases.json, which
                                                tests/unit/frontend/tokenizer_test.cpp reads
  make_tokenizers.py --compare TG --texts 20000 [--seed N] [--only NAME]
                                                as many new texts a kind, beside the command `TG tokenize`

Run by hand (needs `pip install tokenizers`). Texts have only characters that Unicode 3.2 has, since the package and ICU
have tables of other versions for newer ones."""
import argparse
import base64
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

try:
  from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
except ImportError:
  print("skipped: this Python has no package tokenizers")
  sys.exit(77)

CORPUS = """Programs are lists of instructions, and kernels are programs for many threads at once.
A tensor is lazy: nothing is computed until someone asks for its values. Then a schedule is made, and kernels are compiled.
The quick brown fox jumps over the lazy dog; she sells sea shells by the sea shore; how much wood would a woodchuck chuck?
I'm sure that we've seen what they'd do if it isn't there. Don't! It's 3.14159, or 22/7, or 1,234,567 (about 10^6).
for (int i = 0; i < 100; ++i) { total += values[i] * 2; }   // twice the sum
Привет, мир! Как дела? Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства.
你好，世界！今天天气很好。こんにちは、世界。한국어도 있습니다.
Naïve café, résumé, Ärger, Øre, ﬁne ligatures, ² and ½, ĳ, Ǆ, İstanbul, ΣΊΣΥΦΟΣ.
مرحبا بالعالم  שלום עולם""".split("\n")

GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
BYTES = [f"<0x{i:02X}>" for i in range(256)]
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())

# SentencePiece's own encoding of these rules: ﬁ to fi, ½ to " 1 2", A with a ring to Å, a wide space to a space, « and the acute
# accent to nothing, A1 to B (which is never looked up, since it is two graphemes).
CHARSMAP = (
  "AAQAAAAAAQBByAAAMQUAAAcAAICKBQAADAAAgKsFAAAAAACAAwAAgIE5AACABAIAgB0AAAEAAICsCAIAgQUAAAkAAIC9YQAAEAAAABMAAAASAAAAFQAAAB"
  "QAAAAXAAAAFgAAABkAAAAYAAAAGwAAABoAAAAdAAAAHAAAAB8AAAAeAAAAIQAAACAAAAAjAAAAIgAAACUAAAAkAAAAJwAAACYAAAApAAAAKAAAACsAAAAq"
  "AAAALQAAACwAAAAvAAAALgAAADEAAAAwAAAAMwAAADIAAAA1AAAANAAAADcAAAA2AAAAOQAAADgAAAA7AAAAOgAAAD0AAAA8AAAAPwAAAD4AAABBAAAAQA"
  "AAAEMAAABCAAAARQAAAEQAAABHAAAARgAAAEkAAABIAAAASwAAAEoAAABNAAAATAAAAE8AAABOAAAAUQAAAFAAAABTAAAAUgAAAFUAAABUAAAAVwAAAFYA"
  "AABZAAAAWAAAAFsAAABaAAAAXQAAAFwAAABfAAAAXgAAAGEAAABgAAAAYwAAAGIAAABlAAAAZAAAAGcAAABmAAAAaQAAAGgAAABrAAAAagAAAG0AAABsAA"
  "AAbwAAAG4AAABxAAAAcAAAAHMAAAByAAAAdQAAAHQAAAB3AAAAdgAAAHkAAAB4AAAAewAAAHoAAAB9AAAAfAAAAH8AAAB+AAAAgQAAAIAAAADCvAAAggAA"
  "AIUAAACEAAAAhwAAAIYAAACJAAAAiAAAAIsAAACKAAAAzBAAAIwAAACPAAAAjgAAAJEAAACQAAAAkwAAAJIAAACVAAAAlAAAAJcAAACWAAAAmQAAAJgAAA"
  "CbAAAAmgAAAJ0AAACcAAAAnwAAAJ4AAAChAAAAoAAAAKMAAADjpAAApQAAAKQAAACnAAAApgAAAKkAAACoAAAAqwAAAKoAAACtAAAArAAAAK8AAADvOAAA"
  "sQAAALAAAACzAAAAsgAAALUAAAC0AAAAtwAAALYAAAC5AAAAuAAAALsAAAC6AAAAvQAAALwAAAC/AAAAvgAAAMEAAADAAAAAwwAAAMIAAADFAAAAxAAAAM"
  "cAAADGAAAAyQAAAMgAAADLAAAAygAAAM0AAADMAAAAzwAAAM4AAADRAAAA0AAAANMAAADSAAAA1QAAANQAAADXAAAA1gAAANkAAADYAAAA2wAAANoAAADd"
  "AAAA3AAAAN8AAADeAAAA4QAAAOAAAADjAAAA4gAAAOUAAADkAAAA5wAAAOYAAADpAAAA6AAAAOsAAADqAAAA7QAAAOwAAADvAAAA7gAAAPEAAADwAAAA8w"
  "AAAPIAAAD1AAAA9AAAAPcAAAD2AAAA+QAAAPgAAAD7AAAA+gAAAP0AAAD8AAAA/wAAAMzEAQAAIAAxIDIAQgBmaQDDhQA=")

N, P, D, R = normalizers, pre_tokenizers, decoders, processors


def trained(tokenizer, trainer, size, special=(), **options):
  tokenizer.train_from_iterator(CORPUS, trainer(vocab_size=size, special_tokens=list(special), show_progress=False, **options))
  return tokenizer


def built(model, normalizer=None, pre_tokenizer=None, decoder=None):
  t = Tokenizer(model)
  if normalizer:
    t.normalizer = normalizer
  if pre_tokenizer:
    t.pre_tokenizer = pre_tokenizer
  if decoder:
    t.decoder = decoder
  return t


def template(text, *tokens):
  return R.TemplateProcessing(single=text, special_tokens=[(t, i) for i, t in tokens])


def gpt2():
  t = built(models.BPE(), None, P.ByteLevel(add_prefix_space=False), D.ByteLevel())
  trained(t, trainers.BpeTrainer, 420, ["<|endoftext|>"], initial_alphabet=ALPHABET)
  t.post_processor = R.ByteLevel(trim_offsets=False)
  return t


def llama3():
  split = P.Sequence([P.Split(Regex(GPT4), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)])
  t = built(models.BPE(ignore_merges=True), None, split, D.ByteLevel())
  trained(t, trainers.BpeTrainer, 420, ["<s>", "</s>"], initial_alphabet=ALPHABET)
  t.post_processor = R.Sequence([R.ByteLevel(), template("<s> $A", (0, "<s>"))])
  return t


def o200k():
  split = P.Sequence([P.Split(Regex(O200K), "removed", invert=True), P.ByteLevel(add_prefix_space=False, use_regex=False)])
  t = built(models.BPE(), N.NFC(), split, D.ByteLevel())
  trained(t, trainers.BpeTrainer, 420, initial_alphabet=ALPHABET)
  t.add_special_tokens(["<s>"])
  t.add_tokens([AddedToken("tok", single_word=True), AddedToken("<mask>", lstrip=True, rstrip=True, normalized=False)])
  return t


def llama2():
  decoder = D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
  t = built(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True),
            N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")]), None, decoder)
  trained(t, trainers.BpeTrainer, 480, ["<unk>", "<s>", "</s>", *BYTES])
  t.post_processor = template("<s> $A </s>", (1, "<s>"), (2, "</s>"))
  return t


def mistral():
  t = built(models.BPE(unk_token="<unk>", fuse_unk=True), None, P.Metaspace(prepend_scheme="first"),
            D.Metaspace(prepend_scheme="first"))
  trained(t, trainers.BpeTrainer, 200, ["<unk>"], limit_alphabet=40)
  t.add_tokens(["hello", AddedToken("Tok", normalized=True)])
  return t


def clip():
  t = built(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"), N.BertNormalizer(), P.BertPreTokenizer(), D.BPEDecoder())
  return trained(t, trainers.BpeTrainer, 250, ["<unk>"], end_of_word_suffix="</w>", limit_alphabet=60)


def bpe_with_prefix():
  split = P.Sequence([P.WhitespaceSplit(), P.Punctuation("merged_with_previous"), P.Digits(individual_digits=True)])
  t = built(models.BPE(unk_token="<unk>", continuing_subword_prefix="##"), None, split, D.WordPiece())
  return trained(t, trainers.BpeTrainer, 250, ["<unk>"], continuing_subword_prefix="##", limit_alphabet=60)


def bert():
  t = built(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20), N.BertNormalizer(), P.BertPreTokenizer(),
            D.WordPiece())
  trained(t, trainers.WordPieceTrainer, 400, ["[UNK]", "[CLS]", "[SEP]", "[MASK]"])
  t.post_processor = template("[CLS] $A [SEP]", (1, "[CLS]"), (2, "[SEP]"))
  return t


def bert_cased():
  t = built(models.WordPiece(unk_token="[UNK]"), N.BertNormalizer(lowercase=False, handle_chinese_chars=False),
            P.BertPreTokenizer(), D.WordPiece(cleanup=False))
  trained(t, trainers.WordPieceTrainer, 400, ["[UNK]", "[CLS]", "[SEP]"])
  t.post_processor = R.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
  return t


def t5():
  t = built(models.Unigram(), N.Sequence([N.Nmt(), N.NFKC(), N.Replace(Regex(" {2,}"), " ")]), P.Metaspace(), D.Metaspace())
  trained(t, trainers.UnigramTrainer, 300, ["<unk>", "<s>", "</s>"], unk_token="<unk>")
  t.post_processor = template("$A </s>", (2, "</s>"))
  return t


def unigram_with_bytes():
  t = built(models.Unigram(), N.Sequence([N.NFKD(), N.StripAccents(), N.Lowercase(), N.Strip()]),
            P.Sequence([P.WhitespaceSplit(), P.Metaspace(split=False)]), D.Metaspace())
  trained(t, trainers.UnigramTrainer, 400, ["<unk>", *BYTES], unk_token="<unk>")
  description = json.loads(t.to_str())
  description["model"]["byte_fallback"] = True
  return Tokenizer.from_str(json.dumps(description))


def sentencepiece():
  t = built(models.Unigram(), N.Sequence([N.Precompiled(base64.b64decode(CHARSMAP)), N.Replace(Regex(" {2,}"), " ")]),
            P.Metaspace(), D.Metaspace())
  return trained(t, trainers.UnigramTrainer, 300, ["<unk>"], unk_token="<unk>")


def words():
  t = built(models.WordLevel(unk_token="[UNK]"), N.NFD(), P.Whitespace())
  return trained(t, trainers.WordLevelTrainer, 120, ["[UNK]"])


def normalised_bytes():
  t = built(models.BPE(), N.ByteLevel(), P.Split(Regex("Ġ"), "merged_with_next"), D.ByteLevel())
  trained(t, trainers.BpeTrainer, 330, initial_alphabet=ALPHABET)
  t.add_special_tokens(["<s>"])
  ends = ("<s>", t.token_to_id("<s>"))
  t.post_processor = R.RobertaProcessing(ends, ends)
  return t


def splits(behavior, inverted):
  def make():
    t = built(models.WordLevel(unk_token="[UNK]"), None,
              P.Sequence([P.Split(Regex("[a-c]|\\s"), behavior, invert=inverted), P.Punctuation(behavior), P.Digits()]))
    return trained(t, trainers.WordLevelTrainer, 120, ["[UNK]"])
  return make


KINDS = {f.__name__: f for f in (gpt2, llama3, o200k, llama2, mistral, clip, bpe_with_prefix, bert, bert_cased, t5, sentencepiece,
                                 unigram_with_bytes, words, normalised_bytes)}
for behavior in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
  KINDS[f"{behavior}_pieces"] = splits(behavior, False)
  KINDS[f"{behavior}_gaps"] = splits(behavior, True)

LETTERS = [c for c in map(chr, [*range(0xd800), *range(0xe000, 0x110000)])
           if unicodedata.ucd_3_2_0.category(c) == unicodedata.category(c) != "Cn"]
ODD = list("abcdefghijklmnopqrstuvwxyzABCDEFXYZ0123456789      \t\n\r.,;:!?'\"-_()[]{}<>/\\|@#$%^&*+=~`"
           "éèüßñçøÅàïœĲſﬁ½²³٣४ⅷ①你好世界漢字カナ한글абвгЖЯ▁Ġ\u00a0\u2003\u3000\u200b\u200d\ufeff\u0301\u0308\u0327"
           "\x0b\x0c\x85\x1c\x00\x7f\u00ad\u2028\ue000")
SNIPPETS = ["don't", "I'M", "'ll", "  ", " ", "\n\n", "\r\n", "   x", "...", "<s>", "</s>", "[MASK]", "<mask>", " <mask> ",
            "[CLS]", "tok", "Tok", "toks", "hello", "1234567", "isn't it", "\ufffd"]


def text(r):
  kind = r.randrange(10)
  if kind < 3:
    line = r.choice(CORPUS)
    begin = r.randrange(len(line))
    return line[begin:begin + r.randrange(1, 80)]
  if kind < 5:
    return "".join(r.choice(LETTERS) for _ in range(r.randrange(12)))
  if kind < 6:
    return "".join(r.choice(SNIPPETS) for _ in range(r.randrange(12)))
  return "".join(r.choice(ODD) for _ in range(r.randrange(40)))


def expected(t, x):
  try:
    ids = t.encode(x).ids
    return {"ids": ids, "plain": t.encode(x, add_special_tokens=False).ids, "text": t.decode(ids),
            "all": t.decode(ids, skip_special_tokens=False)}
  except Exception:  # a model without a token for what it does not know
    return {"error": True}


def write(folder):
  folder = pathlib.Path(folder)
  folder.mkdir(parents=True, exist_ok=True)
  for name, make in KINDS.items():
    r = random.Random(name)
    t = Tokenizer.from_str(make().to_str())
    (folder / f"{name}.json").write_text(json.dumps(json.loads(t.to_str()), ensure_ascii=False, separators=(",", ":")) + "\n")
    cases = [{"of": x, **expected(t, x)} for x in (text(r) for _ in range(40))]
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (folder / f"{name}.cases.json").write_text(f"[\n{lines}\n]\n")


def compare(tg, texts, seed, only):
  print(f"seed {seed}")
  wrong = 0
  for name, make in KINDS.items():
    if only and only not in name:
      continue
    t = Tokenizer.from_str(make().to_str())
    r = random.Random(f"{seed} {name}")
    drawn = [text(r) for _ in range(texts)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
      file.write(t.to_str())
      file.flush()
      asked = "".join(json.dumps(x) + "\n" for x in drawn)
      ran = subprocess.run([tg, "tokenize", "--json", file.name], input=asked, capture_output=True, text=True, check=True)
    different = 0
    for x, line in zip(drawn, ran.stdout.splitlines(), strict=True):
      ours, theirs = json.loads(line), expected(t, x)
      if "error" in ours:
        ours = {"error": True}
      if ours == theirs:
        continue
      different += 1
      if different <= 3:
        print(f"  {name}: {x!r}\n    ours   {ours}\n    theirs {theirs}")
    print(f"{name}: {different} of {texts} differ", flush=True)
    wrong += different
  return 1 if wrong else 0


if __name__ == "__main__":
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("folder", nargs="?")
  parser.add_argument("--compare", metavar="TG")
  parser.add_argument("--texts", type=int, default=20000)
  parser.add_argument("--seed", type=int, default=random.randrange(10**6))
  parser.add_argument("--only")
  arguments = parser.parse_args()
  if arguments.compare:
    sys.exit(compare(arguments.compare, arguments.texts, arguments.seed, arguments.only))
  if not arguments.folder:
    parser.error("name a folder, or --compare")
  write(arguments.folder)

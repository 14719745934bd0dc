"""SimpleTokenizer: texts as tokens and back, by a vocabulary of byte pairs as GPT-2's and those
after it (tokenizer.ggml.model is "gpt2" in a GGUF file). There are no vocabularies of SentencePiece
here. How a conversation becomes one text: templates.py."""
import codecs
import functools
import heapq
import itertools
import re
import unicodedata

from tinygrad_cpp.errors import ArgumentError, FileError, OutOfRangeError
from tinygrad_cpp.helpers import partition

_LLAMA = ("llama3", "llama-v3", "llama-bpe")
_ALIASES = {"qwen35": "qwen2", "qwen35moe": "qwen2"}
PRESETS = (*_LLAMA, "qwen2", "olmo", "kimi-k2", "tekken", "glm4")
_NORMAL = 1  # GGUF's type of a token that is spelled as bytes
_MAX_WORDS = 1 << 16  # remembered


@functools.cache
def byte_letters():
  """{letter: byte} of GPT-2's spelling: bytes that print are themselves, the others letters from
  256 on."""
  printing = [*range(33, 127), *range(161, 173), *range(174, 256)]
  others = [b for b in range(256) if b not in printing]
  return {chr(b): b for b in printing} | {chr(256 + i): b for i, b in enumerate(others)}


@functools.cache
def _characters(category):
  """The characters of Unicode's categories that begin so, as ranges between the brackets of a
  pattern."""
  end, runs = 0x323B0, []  # the last letter is before
  points = (c for c in range(end) if unicodedata.category(chr(c)).startswith(category))
  for _, group in itertools.groupby(enumerate(points), lambda pair: pair[1] - pair[0]):
    run = [point for _, point in group]
    runs.append(re.escape(chr(run[0])) + (f"-{re.escape(chr(run[-1]))}" if len(run) > 1 else ""))
  return "".join(runs)


@functools.cache
def word_pattern(preset):
  """Where a text is cut before byte pairs are joined: they never reach over a cut."""
  letter, number = _characters("L"), _characters("N")
  blank = r"\t\n\x0b\x0c\r\x85" + _characters("Z")
  other = f"[^{blank}{number}{letter}]+"
  if preset == "olmo":  # GPT-2's own
    return re.compile(f"'s|'t|'re|'ve|'m|'ll|'d| ?[{letter}]+| ?[{number}]+| ?{other}|"
                      f"[{blank}]+(?![^{blank}])|[{blank}]+")
  digits = "1" if preset in ("qwen2", "tekken") else "1,3"
  return re.compile(f"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n{number}{letter}]?[{letter}]+|"
                    f"[{number}]{{{digits}}}| ?{other}[\\r\\n]*|[{blank}]*[\\r\\n]+|"
                    f"[{blank}]+(?![^{blank}])|[{blank}]+")


def _joined(word, ranks):
  """The bytes of a word as the pieces that remain when neighbours are joined, always the pair of
  the lowest rank, the first of several. A heap of pairs, so that long words take no squared
  time."""
  pieces = [word[i:i + 1] for i in range(len(word))]
  after, before = list(range(1, len(pieces) + 1)), list(range(-1, len(pieces) - 1))

  def pair_at(i):
    return ranks.get(pieces[i] + pieces[after[i]]) if after[i] < len(pieces) else None
  heap = [(rank, i) for i in range(len(pieces)) if (rank := pair_at(i)) is not None]
  heapq.heapify(heap)
  while heap:
    rank, i = heapq.heappop(heap)
    if pieces[i] is None or pair_at(i) != rank:
      continue  # one of the pair was joined to another meanwhile
    j = after[i]
    pieces[i], pieces[j], after[i] = pieces[i] + pieces[j], None, after[j]
    if after[i] < len(pieces):
      before[after[i]] = i
    for k in (before[i], i):
      if k >= 0 and (rank := pair_at(k)) is not None:
        heapq.heappush(heap, (rank, k))
  return [piece for piece in pieces if piece is not None]


def _spelled(token):
  """The bytes that a token of the vocabulary stands for; a few vocabularies have some in plain
  text."""
  letters = byte_letters()
  return bytes(letters[c] for c in token) if all(c in letters for c in token) else token.encode()


class SimpleTokenizer:
  """Texts to tokens by a vocabulary {spelling: number} and special tokens {text: number}. `preset`
  says how words are cut: one of PRESETS. ArgumentError for another."""

  def __init__(self, normal_tokens, special_tokens, preset="llama3", bos_id=None, eos_id=0,
               eot_id=None):
    self.preset = _ALIASES.get(preset, preset)
    if self.preset not in PRESETS:
      raise ArgumentError(f"SimpleTokenizer: the way to cut words is not supported: {preset!r}. "
                          f"Hint: supported are {', '.join(PRESETS)}.")
    self.bos_id, self.eos_id, self.eot_id = bos_id, eos_id, eot_id
    self._split_to_word = word_pattern(self.preset)
    longest_first = sorted(filter(None, special_tokens), key=len, reverse=True)
    self._split_to_sentence = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
    self._normal_tokens = {_spelled(token): number for token, number in normal_tokens.items()}
    self._special_tokens = dict(special_tokens)
    self._tok2bytes = {number: word for word, number in self._normal_tokens.items()}
    self._tok2bytes |= {number: text.encode() for text, number in special_tokens.items()}
    self._words = {}

  @staticmethod
  def from_gguf_kv(kv):
    """The tokenizer of the facts of a GGUF file. FileError if they have none, ArgumentError if it
    is of a kind that is not supported."""
    kind = kv.get("tokenizer.ggml.model", "gpt2")
    if kind != "gpt2":
      raise ArgumentError(f"from_gguf_kv: the tokenizer is not supported: {kind!r}. Hint: those of "
                          "byte pairs are, which GGUF calls 'gpt2'.")
    missing = [f"tokenizer.ggml.{name}" for name in ("tokens", "token_type", "pre")
               if f"tokenizer.ggml.{name}" not in kv]
    if missing:
      raise FileError(f"from_gguf_kv: the file lacks facts: {', '.join(missing)}.")
    types = kv["tokenizer.ggml.token_type"]
    tokens = [(token, i) for i, token in enumerate(kv["tokenizer.ggml.tokens"])]
    normal, special = map(dict, partition(tokens, lambda entry: types[entry[1]] == _NORMAL))
    begins = kv.get("tokenizer.ggml.add_bos_token", True)
    return SimpleTokenizer(normal, special, kv["tokenizer.ggml.pre"],
                           bos_id=kv.get("tokenizer.ggml.bos_token_id") if begins else None,
                           eos_id=kv.get("tokenizer.ggml.eos_token_id", 0),
                           eot_id=kv.get("tokenizer.ggml.eot_token_id", special.get("<|im_end|>")))

  def _encode_word(self, word):
    """The tokens of the bytes of a word. A word that is a token is that one, whatever pairs would
    give."""
    whole = self._normal_tokens.get(word)
    if whole is not None:
      return [whole]
    found = self._words.get(word)
    if found is None:
      pieces = _joined(word, self._normal_tokens)
      missing = next((p for p in pieces if p not in self._normal_tokens), None)
      if missing is not None:
        raise ArgumentError(f"encode: token not found: the vocabulary has none for {missing!r} in "
                            f"{word!r}.")
      found = [self._normal_tokens[piece] for piece in pieces]
      if len(self._words) < _MAX_WORDS:
        self._words[word] = found
    return found

  def _encode_sentence(self, text):
    return [token for word in self._split_to_word.findall(text)
            for token in self._encode_word(word.encode(errors="replace"))]

  def encode(self, text):
    """The tokens of a text, in which special ones stand as they are written. ArgumentError if the
    vocabulary has no token for a byte."""
    tokens, end = [], 0
    for match in self._split_to_sentence.finditer(text):
      tokens += self._encode_sentence(text[end:match.start()])
      tokens.append(self._special_tokens[match.group()])
      end = match.end()
    return tokens + self._encode_sentence(text[end:])

  def _bytes(self, token):
    if token not in self._tok2bytes:
      raise OutOfRangeError(f"decode: the vocabulary has no token of this number: {token}.")
    return self._tok2bytes[token]

  def decode(self, ids):
    """The text of tokens; bytes that are no UTF-8 become U+FFFD."""
    return b"".join(map(self._bytes, ids)).decode(errors="replace")

  def stream_decoder(self):
    """A function that gives the text of one token after the other, and without an argument what is
    left at the end. A character comes with its last byte."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def decode(token=None):
      is_end = token is None
      return decoder.decode(b"" if is_end else self._bytes(token), final=is_end)
    return decode

  def is_end(self, token_id):
    """Whether the token ends an answer."""
    return token_id in (self.eos_id, self.eot_id)

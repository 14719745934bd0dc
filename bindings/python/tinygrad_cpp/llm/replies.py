"""What stands in the text of a model: thoughts between <think> and </think>, calls of tools in
<tool_call>, and the answer; and calls of tools among the messages that clients send. The server
that sends them on: serve.py."""
import json
import re

_THINK, _END_THINK, _TOOL = "<think>", "</think>", "<tool_call>"
_CALLS = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^>]+)>\s*(.*?)\s*(?:</function>)?$", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>]+)>(.*?)</parameter>", re.DOTALL)


def _json_or(text, default):
  try:
    return json.loads(text)
  except ValueError:
    return default


def parse_tool_call(s):
  """(name, arguments) of what stands in a <tool_call>, None if it is no call. Two forms are known:
  JSON {"name": ..., "arguments": {...}}, and
  <function=name><parameter=key>value</parameter></function>."""
  s = s.strip()
  if s.startswith("{"):
    call = _json_or(s, {})
    arguments = call.get("arguments", call.get("parameters", {}))
    return (call["name"], arguments) if "name" in call else None
  function = _FUNCTION.match(s)
  if function is None:
    return None
  # A line break after the tag and one before its end belong to the form, others to the value.
  values = {key: re.sub(r"\A\r?\n|\r?\n\Z", "", value)
            for key, value in _PARAMETER.findall(function[2])}
  return function[1], {key: _json_or(value, value) for key, value in values.items()}


def find_tool_calls(text):
  """For each <tool_call> of a text: (what parse_tool_call makes of it, its own text)."""
  return [(parse_tool_call(match[1]), match[0]) for match in _CALLS.finditer(text)]


def normalize_messages(messages):
  """Arguments of calls of tools, which clients send as JSON in a string, as the dicts that
  templates expect. In place."""
  for message in messages:
    for call in message.get("tool_calls") or []:
      function = call.get("function") or {}
      if isinstance(function.get("arguments"), str):
        function["arguments"] = _json_or(function["arguments"], function["arguments"])


def _begun(text, tag):
  """How many characters at the end of a text may be the beginning of a tag."""
  longest = min(len(text), len(tag) - 1)
  return next((n for n in range(longest, 0, -1) if tag.startswith(text[-n:])), 0)


class StopTexts:
  """Ends a text that comes in pieces before the first of some texts, which may be split between
  pieces."""

  def __init__(self, texts=()):
    self.texts, self.buf, self.found = tuple(texts), "", False

  def feed(self, piece, final=False):
    """What may be sent of all pieces so far, without what was given before; sets `found` at the
    end."""
    self.buf += piece
    places = [place for text in self.texts if (place := self.buf.find(text)) >= 0]
    if places:
      self.found, cut = True, min(places)
    else:
      keep = 0 if final else max((_begun(self.buf, text) for text in self.texts), default=0)
      cut = len(self.buf) - keep
    sent, self.buf = self.buf[:cut], "" if places else self.buf[cut:]
    return sent


class StreamRouter:
  """Sorts a text that comes in pieces into fields of an answer: "reasoning_content" and "content".
  What may become a tag is held back until it is known. From a <tool_call> on all is kept in
  `buf`."""

  def __init__(self, reasoning=False):
    self.buf = ""
    self.mode = "reasoning" if reasoning else "undecided"

  def split(self, tag, final):
    """(what is before the tag, whether the tag came), taken from buf."""
    before, found, after = self.buf.partition(tag)
    if found:
      self.buf = after
      return before, True
    keep = 0 if final else _begun(self.buf, tag)
    cut = len(self.buf) - keep
    before, self.buf = self.buf[:cut], self.buf[cut:]
    return before, False

  def _decide(self, final):
    """Whether the text begins with thoughts."""
    if self.buf.startswith(_THINK):
      self.mode, self.buf = "reasoning", self.buf[len(_THINK):]
    elif final or not _THINK.startswith(self.buf):
      self.mode = "content"

  def route(self, piece, final=False):
    """Yields (field, text) of what is known after the next piece; all that is left with `final`."""
    self.buf += piece
    if self.mode == "undecided":
      self._decide(final)
    for mode, field, tag, following in (("reasoning", "reasoning_content", _END_THINK, "content"),
                                        ("content", "content", _TOOL, "tool")):
      if self.mode == mode:
        text, found = self.split(tag, final)
        if text:
          yield field, text
        if found:
          self.mode = following
          self.buf = _TOOL + self.buf if following == "tool" else self.buf

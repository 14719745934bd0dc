"""OpenAI's API of chats as data: what a request may say, checked, and what answers and errors look
like. Nothing here knows of HTTP or of models: serve.py does."""
import json
import math
import time
import uuid
from dataclasses import dataclass, field

MAX_BODY = 16 << 20  # bytes of a request
_MAX_STOPS = 16


class ApiError(Exception):
  """A request that is answered by an error: its HTTP status, and the error as the API says it."""

  def __init__(self, status, message, param=None, code=None):
    super().__init__(message)
    self.status, self.body = status, error_body(message, status, param, code)


def error_body(message, status=500, param=None, code=None):
  """The JSON of an error."""
  kind = "invalid_request_error" if status < 500 else "server_error"
  return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def new_id(prefix):
  """A name that no other answer or call has."""
  return f"{prefix}-{uuid.uuid4().hex[:24]}"


def _wrong(name, rule, value):
  shown = json.dumps(value)
  shown = shown if len(shown) < 80 else shown[:80] + "…"
  raise ApiError(400, f"'{name}' {rule}: {shown}", name, "invalid_value")


def _number(body, name, default, low):
  value = body.get(name)
  if value is None:
    return default
  is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
  if not is_number or not math.isfinite(value) or value < low:
    _wrong(name, f"is a number of at least {low}", value)
  return float(value)


def _count(body, name):
  value = body.get(name)
  if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
    _wrong(name, "is a whole number of at least 1", value)
  return value


def _stops(body):
  stop = body.get("stop")
  stops = [stop] if isinstance(stop, str) else stop or []
  is_list = isinstance(stops, list) and all(isinstance(s, str) and s for s in stops)
  if not is_list or len(stops) > _MAX_STOPS:
    _wrong("stop", f"is a text or a list of up to {_MAX_STOPS} texts", stop)
  return tuple(stops)


def _are_calls(calls):
  return calls is None or isinstance(calls, list) and all(
    isinstance(call, dict) and isinstance(call.get("function", {}), dict) for call in calls)


def _messages(body):
  messages = body.get("messages")
  if not isinstance(messages, list) or not messages:
    _wrong("messages", "is a list of messages, one at least", messages)
  for i, message in enumerate(messages):
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
      _wrong(f"messages[{i}]", "is an object with a 'role'", message)
    content = message.get("content")
    is_parts = isinstance(content, list) and all(isinstance(part, dict) for part in content)
    if not (content is None or isinstance(content, str) or is_parts):
      _wrong(f"messages[{i}].content", "is a text or a list of parts", content)
    if not _are_calls(message.get("tool_calls")):
      _wrong(f"messages[{i}].tool_calls", "is a list of calls", message["tool_calls"])
  return messages


@dataclass
class ChatRequest:
  """What a client asks for."""
  messages: list
  model: str
  tools: list | None = None
  is_stream: bool = False
  wants_usage: bool = True
  max_tokens: int | None = None
  temperature: float = 0.0
  stop: tuple = ()

  @staticmethod
  def of(data, model):
    """The request of a body's bytes; `model` is the name where it has none. ApiError says what is
    wrong."""
    try:
      body = json.loads(data)
    except (ValueError, RecursionError) as error:
      raise ApiError(400, f"the body is no JSON: {error}", code="invalid_json") from None
    if not isinstance(body, dict):
      raise ApiError(400, "the body is a JSON object", code="invalid_json")
    if body.get("n") not in (None, 1):
      _wrong("n", "is 1: there is one answer to a request", body["n"])
    options, is_stream = body.get("stream_options") or {}, bool(body.get("stream"))
    if not isinstance(options, dict):
      _wrong("stream_options", "is an object", options)
    if not (body.get("tools") is None or isinstance(body["tools"], list)):
      _wrong("tools", "is a list", body["tools"])
    name = body.get("model")
    return ChatRequest(
      messages=_messages(body), model=name if isinstance(name, str) else model,
      tools=body.get("tools"),
      is_stream=is_stream, wants_usage=not is_stream or bool(options.get("include_usage")),
      max_tokens=_count(body, "max_completion_tokens") or _count(body, "max_tokens"),
      temperature=_number(body, "temperature", 0.0, 0), stop=_stops(body))


@dataclass
class Chunks:
  """Makes the chunks of one answer that is streamed."""
  model: str
  id: str = field(default_factory=lambda: new_id("chatcmpl"))
  created: int = field(default_factory=lambda: int(time.time()))

  def _chunk(self, choices, **more):
    return {"id": self.id, "object": "chat.completion.chunk", "created": self.created,
            "model": self.model, "choices": choices, **more}

  def delta(self, finish_reason=None, **fields):
    """A piece of the answer."""
    return self._chunk([{"index": 0, "delta": fields, "finish_reason": finish_reason}])

  def usage(self, prompt, completion):
    """How many tokens it took."""
    return self._chunk([], usage={"prompt_tokens": prompt, "completion_tokens": completion,
                                  "total_tokens": prompt + completion})


def tool_call(index, name, arguments):
  """A call of a tool in a chunk."""
  text = arguments if isinstance(arguments, str) else json.dumps(arguments)
  return {"index": index, "id": new_id("call"), "type": "function",
          "function": {"name": name, "arguments": text}}


def whole_answer(chunks):
  """One answer of all its chunks."""
  texts, calls, finish, last = {"content": [], "reasoning_content": []}, [], "stop", {}
  for last in chunks:
    for choice in last["choices"]:
      for name, parts in texts.items():
        parts.append(choice["delta"].get(name) or "")
      calls += [{k: v for k, v in call.items() if k != "index"}
                for call in choice["delta"].get("tool_calls", [])]
      finish = choice["finish_reason"] or finish
  message = {"role": "assistant", "content": "".join(texts["content"]) or None}
  if any(texts["reasoning_content"]):
    message["reasoning_content"] = "".join(texts["reasoning_content"])
  if calls:
    message["tool_calls"] = calls
  return {**last, "object": "chat.completion",
          "choices": [{"index": 0, "message": message, "finish_reason": finish}]}

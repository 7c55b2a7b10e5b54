"""What a hostile user of this machine sends to Berth's sockets. An attack is (bytes to send, how the connection ends): each of a kind, by a seed."""

import json
import random

KEEP, SHUT, ABANDON = "keep", "shut", "abandon"  # Wait for an answer; likewise, then reconnect; do not even wait.
METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "POST\x00", "G" * 300]
PATHS = ["/healthz", "/openapi.json", "/v1/ping", "/v1/config", "/v1/state-hash", "/v1/jobs", "/v1/jobs/1", "/v1/jobs/1/cancel", "/v1/jobs/1/hold",
         "/v1/jobs/1/release", "/v1/jobs/1/requeue", "/v1/jobs/1/steps", "/v1/jobs/1/complete", "/v1/jobs/1/explain", "/v1/jobs/1/script", "/v1/nodes",
         "/v1/nodes/node1", "/v1/partitions", "/v1/accounting", "/v1/priorities", "/v1/shares", "/v1/usage", "/v1/licenses", "/v1/reservations",
         "/v1/reservations/x", "/v1/reservations/x/delete", "/v1/associations", "/v1/qos", "/v1/accounting-edits", "/v1/diagnostics",
         "/v1/diagnostics/reset", "/metrics", "/metrics/jobs"]
# Only administrators may; the last part is what would be done.
FORBIDDEN = [("PATCH", "/v1/nodes/node1", {"state": "DOWN", "reason": "mine"}), ("POST", "/v1/diagnostics/reset", {}),
             ("POST", "/v1/reservations", {"name": "mine", "users": ["games"]}), ("POST", "/v1/reservations/x/delete", {}),
             ("POST", "/v1/accounting-edits", {"edits": []}), ("POST", "/v1/usage", {}), ("GET", "/v1/state-hash", None),
             ("POST", "/v1/jobs/1/cancel", {"signal": 9}), ("POST", "/v1/jobs/1/hold", {}), ("POST", "/v1/jobs/1/requeue", {}),
             ("GET", "/v1/jobs/1/script", None), ("POST", "/v1/jobs/1/complete", {}), ("PATCH", "/v1/jobs/1", {"priority": 4294967295}),
             ("POST", "/v1/jobs/1/steps", {"request": {}, "arguments": ["/bin/sh"]})]
TEXTS = ["", "\x00", "a" * 5000, "../../etc/shadow", "%n%n%s", "'; DROP TABLE jobs; --", "\u202e\ud7ff", "$(reboot)", "a\nb", "-1", "NaN", "é" * 2000]
NUMBERS = [0, -1, 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64, -2**63, 1e308, 0.1, 10**400]


def request(method, path, body=b"", headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: berth", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body


def as_json(value):
    return json.dumps(value).encode()


def any_value(chance, depth=0):
    kind = chance.randrange(7 if depth < 4 else 4)
    if kind == 0:
        return chance.choice(TEXTS)
    if kind == 1:
        return chance.choice(NUMBERS[:-1])
    if kind == 2:
        return chance.choice([None, True, False])
    if kind == 3:
        return chance.choice(["1-00:00:00", "node1", "gpu:a100:2", "0-999999999", "afterok:1", "UNLIMITED"])
    if kind == 4:
        return [any_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(["spec", "name", "request", "nodes", "tasks", "array", "payload", "script", "x"]): any_value(chance, depth + 1)
            for _ in range(chance.randrange(4))}


def submission(chance):
    """Nearly what sbatch sends, with one thing wrong."""
    spec = {"name": "train", "hold": True, "request": {}, "command": {"work_dir": "/tmp"}}
    call = {"spec": spec, "payload": {"script": "#!/bin/sh\nexit 0\n", "environment": ["A=b"]}}
    where = chance.choice([call, spec, spec["request"], spec["command"], call["payload"]])
    where[chance.choice([*where, "time_limit", "account", "qos", "dependencies", "array", "begin_at", "gres", "priority", "owner", "uid"])] = any_value(chance)
    return call


def garbage(chance):
    return chance.randbytes(chance.randrange(1, 2000)), SHUT


def mutated(chance):
    text = bytearray(request(chance.choice(METHODS[:3]), chance.choice(PATHS), as_json(submission(chance))))
    for _ in range(chance.randrange(1, 6)):
        text[chance.randrange(len(text))] = chance.randrange(256)
    return bytes(text), ABANDON if chance.random() < 0.5 else SHUT


def odd_target(chance):
    path = chance.choice(PATHS) + chance.choice(["", "/", "//", "/..", "/%00", "/%zz", "?x=%", "?state=" + "A," * 500, "?user=" + "%41" * 300, "/" + "9" * 5000])
    return request(chance.choice(METHODS), path.replace("1", chance.choice(["1", "-1", "1_[0-99999999]", "4294967296", "%"])), b""), SHUT


def odd_body(chance):
    body = chance.choice([b"[" * 100_000, b'{"a":' * 20_000, b"\xff\xfe" * 500, b"", b"{", b'{"spec":' + b"9" * 5000 + b"}", b'{"a":1,"a":2}', b"\x00" * 300,
                          as_json(any_value(chance)), as_json(submission(chance)), b'"' + b"\\u0000" * 3000 + b'"'])
    return request(chance.choice(["POST", "PATCH"]), chance.choice(PATHS), body), KEEP


def absurd_submission(chance):
    return request("POST", "/v1/jobs", as_json(submission(chance))), KEEP


def odd_headers(chance):
    lines = chance.choice([["X: " + "a" * 20_000], [f"X{i}: 1" for i in range(400)], ["Content-Length: 5"], ["Content-Length: -1"],
                           ["Content-Length: 99999999999999999999"], ["Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked, chunked"],
                           ["Expect: 100-continue"], ["Connection: " + "close, " * 500], ["Authorization: Bearer " + "A" * 3000], ["Upgrade: h2c"]])
    tail = chance.choice([b"", b"FFFFFFFFFFFFFFFF\r\n", b"-5\r\nabc\r\n", b"5\r\nab", b"0\r\n\r\n", b"zz\r\n"])
    return request("POST", "/v1/jobs", b"{}", lines) + tail, SHUT


def long_body(chance):
    """More than may be sent, or announced and not sent."""
    announced = chance.choice([9 << 20, 1 << 40, 2**63])
    head = f"POST /v1/jobs HTTP/1.1\r\nHost: b\r\nContent-Length: {announced}\r\n\r\n".encode()
    return head + b"x" * chance.choice([0, 1000, 300_000]), SHUT


def half(chance):
    text = request("POST", chance.choice(PATHS), as_json(submission(chance)))
    return text[:chance.randrange(1, len(text))], ABANDON


def forbidden(chance):
    method, path, body = chance.choice(FORBIDDEN)
    return request(method, path, b"" if body is None else as_json(body)), KEEP


def pipelined(chance):
    return b"".join(request("GET", chance.choice(PATHS)) for _ in range(chance.randrange(2, 30))), ABANDON


OF_HTTP = [garbage, mutated, odd_target, odd_body, absurd_submission, absurd_submission, odd_headers, long_body, half, forbidden, forbidden, pipelined]
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload, length=None):
    size = len(payload) if length is None else length
    return size.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def http2(chance):
    """Frames of all kinds, most of them wrong."""
    text = PREFACE + frame(4, 0, 0, b"")
    for _ in range(chance.randrange(1, 12)):
        payload = chance.randbytes(chance.choice([0, 4, 5, 8, 9, 100, 16_384]))
        length = None if chance.random() < 0.8 else chance.choice([0, 1 << 14, (1 << 24) - 1])
        text += frame(chance.randrange(12), chance.randrange(256), chance.choice([0, 1, 3, 2**31 - 1]), payload, length)
    return text, ABANDON


def http2_garbage(chance):
    return (PREFACE if chance.random() < 0.5 else b"") + chance.randbytes(chance.randrange(1, 3000)), ABANDON


OF_AGENTS = [http2, http2_garbage]


def attacks(seed, kinds):
    chance = random.Random(seed)
    while True:
        kind = chance.choice(kinds)
        yield kind.__name__, *kind(chance)

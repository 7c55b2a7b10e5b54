"""Who is on the network and has no business there: against the two TLS ports, with no token, with wrong ones, with others' certificates, or with half of a
handshake. `Facts` are what such a stranger may have come by: a token that has expired, so the name of the key too, and whatever certificates he makes."""

import base64
import collections
import dataclasses
import json
import random
import socket
import ssl
import subprocess

from attacks import OF_AGENTS, OF_HTTP, frame, PREFACE, request

CALLS = [("GET", "/v1/jobs", b""), ("POST", "/v1/jobs", b'{"spec":{"name":"x","request":{},"command":{"work_dir":"/tmp"}},"payload":{"script":"#!/bin/sh\\n"}}'),
         ("POST", "/v1/jobs/1/cancel", b"{}"), ("PATCH", "/v1/nodes/node1", b'{"state":"DOWN","reason":"mine"}'), ("POST", "/v1/tokens", b"{}"),
         ("POST", "/v1/join-tokens", b'{"nodes":["node1"]}'), ("GET", "/v1/state-hash", b""), ("GET", "/v1/accounting", b""), ("GET", "/v1/jobs/1/script", b"")]


@dataclasses.dataclass
class Facts:
    api: tuple  # (host, port)
    link: tuple
    expired: str
    folder: str  # With stranger.pem (its own authority), node.pem (another authority's node1).


def part(value):
    return base64.urlsafe_b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).rstrip(b"=").decode()


def make_certificates(folder):
    """Of an authority that calls itself as ours does, for a node that we have."""
    run = lambda *words: subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)  # noqa: E731
    for name, subject in (("stranger", "/CN=berth-controller"), ("ca", "/CN=Berth")):
        run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9", "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.crt")
    run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=node1", "-keyout", "node.key", "-out", "node.csr")
    run("x509", "-req", "-in", "node.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "9", "-out", "node.crt")
    for name in ("stranger", "node"):
        with open(f"{folder}/{name}.pem", "w") as out:
            for end in ("crt", "key"):
                out.write(open(f"{folder}/{name}.{end}").read())


def forged(chance, facts):
    """A token that is none."""
    header, claims, signature = facts.expired.split(".")
    real = json.loads(base64.urlsafe_b64decode(claims + "=="))
    mine = part(real | {"sub": "root", "uid": 0, "exp": 1 << 33})
    return chance.choice([
        f"{header}.{mine}.{part(chance.randbytes(64))}", f"{header}.{mine}.{signature}", f"{part({'alg': 'none'})}.{mine}.",
        f"{part({'alg': 'HS256', 'kid': 'x'})}.{mine}.{signature}", f"{header}.{part(chance.randbytes(300))}.{signature}", "a" * chance.choice([1, 4097, 12_000]), "..",
        f"{header}.{part({'x': 'y' * 2000})}.{signature}", f"{header}.{part(b'[' * 2000)}.{signature}", f"{header}.{mine}.{part(chance.randbytes(63))}"])


def call(chance, token=None):
    method, path, body = chance.choice(CALLS)
    return request(method, path, body, [] if token is None else [chance.choice([f"Authorization: Bearer {token}", f"X-SLURM-USER-TOKEN: {token}"])])


class Stranger:
    """One process that does `count` such things."""

    def __init__(self, facts, seed, share_of_link, source, shared):
        self.facts, self.chance, self.share_of_link, self.source, self.shared = facts, random.Random(seed), share_of_link, source, shared
        self.connection, self.held = None, collections.deque()

    def __call__(self, count):
        kinds, statuses = collections.Counter(), collections.Counter()
        for _ in range(count):
            kind = self.chance.choice(self.OF_LINK if self.chance.random() < self.share_of_link else self.OF_API)
            kinds[kind.__name__] += 1
            try:
                answer = kind(self)
            except (OSError, ValueError):
                answer = b""
                self.leave()
            if answer:
                statuses[f"{kind.__name__} {answer.split(b' ', 2)[1].decode() if answer.startswith(b'HTTP/1.1 ') else 'other'}"] += 1
        self.shared.put((kinds, statuses))

    def plain(self, address):
        connection = socket.socket()
        connection.settimeout(10)
        connection.bind((self.source, 0))
        connection.connect(address)
        return connection

    def tls(self, address, certificate=None, protocols=None):
        how = ssl.create_default_context()
        how.check_hostname, how.verify_mode = False, ssl.CERT_NONE
        if certificate:
            how.load_cert_chain(f"{self.facts.folder}/{certificate}.pem")
        if protocols:
            how.set_alpn_protocols(protocols)
        return how.wrap_socket(self.plain(address), server_hostname="berth-controller")

    def leave(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def ask(self, text):
        """On a connection that is kept for as long as the server keeps it."""
        if self.connection is None:
            self.connection = self.tls(self.facts.api)
        self.connection.sendall(text)
        answer = self.connection.recv(1 << 16)
        if not answer or b"Connection: close" in answer or not answer.endswith(b"}"):
            self.leave()
        return answer

    def no_token(self):
        return self.ask(call(self.chance))

    def wrong_token(self):
        return self.ask(call(self.chance, forged(self.chance, self.facts)))

    def old_token(self):
        return self.ask(call(self.chance, self.facts.expired))

    def wrong_join(self):
        body = {"secret": "A" * 32, "node": "node1", "request": self.chance.choice(["", "x" * 9000, "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n"])}
        return self.ask(request("POST", "/v1/join", json.dumps(body).encode()))

    def garbage_within(self):
        text, _ = self.chance.choice(OF_HTTP)(self.chance)
        self.leave()
        with self.tls(self.facts.api) as connection:
            connection.settimeout(0.2)
            connection.sendall(text[:20_000])
            connection.recv(1 << 16)
        return b""  # Whatever it was: it had no token.

    def half_handshake(self, address=None):
        """The beginning of a real one, and then nothing: held open for a while."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        how = ssl.create_default_context()
        hello = how.wrap_bio(incoming, outgoing, server_hostname="berth-controller")
        try:
            hello.do_handshake()
        except ssl.SSLWantReadError:
            pass
        text = outgoing.read()
        connection = self.plain(address or self.facts.api)
        connection.sendall(text[:self.chance.randrange(1, len(text) + 1)])
        self.held.append(connection)
        if len(self.held) > 100:
            self.held.popleft().close()
        return b""

    def in_the_clear(self):
        with self.plain(self.facts.api) as connection:
            connection.settimeout(0.2)
            connection.sendall(call(self.chance, self.facts.expired))
            return connection.recv(1 << 16) if self.chance.random() < 0.1 else b""

    def no_certificate(self):
        return self.as_agent(None)

    def own_certificate(self):
        return self.as_agent("stranger")

    def others_certificate(self):
        return self.as_agent("node")

    def as_agent(self, certificate):
        """Over TLS 1.3 a client learns that its certificate was refused only when it reads: "other" is what the server sends before, its HTTP/2 settings never."""
        with self.tls(self.facts.link, certificate, ["h2"]) as connection:
            connection.settimeout(2)
            connection.sendall(PREFACE + frame(4, 0, 0, b""))
            return connection.recv(1 << 16)

    def half_link(self):
        return self.half_handshake(self.facts.link)

    def clear_link(self):
        text, _ = self.chance.choice(OF_AGENTS)(self.chance)
        with self.plain(self.facts.link) as connection:
            connection.settimeout(0.2)
            connection.sendall(text)
        return b""

    OF_API = [no_token, no_token, wrong_token, wrong_token, wrong_token, old_token, old_token, wrong_join, garbage_within, half_handshake, in_the_clear]
    OF_LINK = [no_certificate, own_certificate, others_certificate, half_link, clear_link]

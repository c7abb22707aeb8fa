"""A small OpenID Connect provider on the loopback: discovery, keys, authorisation and tokens, with PKCE."""

import base64
import hmac
import json
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, Key, RSAKey

HOST = "localhost"
"""The name that the tests' servers allow."""
CLIENT_ID = "gaji-tests"
CLIENT_SECRET = "a-secret-of-the-provider"
KEY_BITS = 2048
BUTTON = b'<!doctype html><title>Provider</title><form method="post"><button>Sign in as Mei</button></form>'


@dataclass
class Person:
    """Who signs in at the provider."""

    email: str
    subject: str = field(default_factory=lambda: secrets.token_hex(8))
    email_verified: object = True
    name: str = "Mei Ling Tan"


@cache
def first_key() -> Key:
    """The key of every provider. Creating one takes a fifth of a second."""
    return new_key("first")


def new_key(kid: str, kind: str = "RSA") -> Key:
    """A new key."""
    if kind == "EC":
        return ECKey.generate_key("P-256", {"kid": kid})
    return RSAKey.generate_key(KEY_BITS, {"kid": kid})


@dataclass
class IdentityProvider:
    """The provider. Tests change its attributes to let it misbehave."""

    issuer: str = ""
    keys: list[Key] = field(default_factory=lambda: [first_key()])
    person: Person = field(default_factory=lambda: Person("mei@example.com"))
    claims: dict[str, Any] = field(default_factory=dict)
    """Replace those of the next tokens. None removes one."""
    algorithm: str = "RS256"
    metadata: dict[str, Any] = field(default_factory=dict)
    """Replaces the discovery document."""
    asks: bool = False
    """Whether people have to press a button."""
    issuer_in_answer: str | None = None
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    """The authorisation request of each unused code."""
    requests: list[str] = field(default_factory=list)
    """The paths that were requested."""

    def discovery(self) -> dict[str, Any]:
        """The discovery document."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "authorization_response_iss_parameter_supported": True,
            **self.metadata,
        }

    def key_document(self) -> dict[str, Any]:
        """The public keys."""
        return {"keys": [{**key.as_dict(private=False), "use": "sig"} for key in self.keys if key.key_type != "oct"]}

    def answer(self, query: dict[str, str]) -> str:
        """The address to go back to, with a code."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        values = {"code": code, "state": query["state"], "iss": self.issuer_in_answer or self.issuer}
        return f"{query['redirect_uri']}?{urlencode(values)}"

    def tokens(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The answer of the token endpoint. A code can be used once, by the client that began."""
        expected = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        query = self.codes.pop(form.get("code", ""), None)
        if authorization != f"Basic {expected}":
            return 401, {"error": "invalid_client"}
        if query is None or query["redirect_uri"] != form["redirect_uri"] or not _is_proven(query, form):
            return 400, {"error": "invalid_grant"}
        return 200, {"id_token": self.id_token(query["nonce"]), "access_token": "unused", "token_type": "Bearer"}

    def id_token(self, nonce: str) -> str:
        """A token for the person, signed with the first key."""
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": self.person.subject,
            "aud": CLIENT_ID,
            "exp": now + 300,
            "iat": now,
            "nonce": nonce,
            "auth_time": now,
            "email": self.person.email,
            "email_verified": self.person.email_verified,
            "name": self.person.name,
            **self.claims,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        return signed_token(kept, self.keys[0], self.algorithm)


def signed_token(claims: dict[str, Any], key: Key, algorithm: str) -> str:
    """A token. The algorithm `none` has no signature, and `HS256` uses the public key as the secret."""
    header = {"alg": algorithm, "kid": key.kid}
    if algorithm not in ("none", "HS256"):
        return jwt.encode(header, claims, key, algorithms=[algorithm])
    content = ".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
    public = key.as_pem(private=False) if isinstance(key, RSAKey) else b""
    return f"{content}.{_base64(hmac.digest(public, content.encode(), sha256)) if algorithm == 'HS256' else ''}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _is_proven(query: dict[str, str], form: dict[str, str]) -> bool:
    digest = sha256(form.get("code_verifier", "").encode()).digest()
    challenge = _base64(digest)
    return query.get("code_challenge_method") == "S256" and query.get("code_challenge") == challenge


@contextmanager
def running_provider() -> Iterator[IdentityProvider]:
    """A provider that answers on the loopback."""
    provider = IdentityProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            provider.requests.append(url.path)
            if url.path == "/.well-known/openid-configuration":
                self._send_json(200, provider.discovery())
            elif url.path == "/jwks":
                self._send_json(200, provider.key_document())
            elif url.path == "/authorize" and provider.asks:
                self._send(200, BUTTON, ("Content-Type", "text/html"))
            elif url.path == "/authorize":
                self._send(303, b"", ("Location", provider.answer(dict(parse_qsl(url.query)))))
            else:
                self._send(404, b"")

        def do_POST(self) -> None:
            url = urlsplit(self.path)
            provider.requests.append(url.path)
            form = dict(parse_qsl(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()))
            if url.path == "/authorize":
                self._send(303, b"", ("Location", provider.answer(dict(parse_qsl(url.query)))))
            else:
                self._send_json(*provider.tokens(form, self.headers.get("Authorization", "")))

        def _send_json(self, status: int, body: dict[str, Any]) -> None:
            self._send(status, json.dumps(body).encode(), ("Content-Type", "application/json"))

        def _send(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
            self.send_response(status)
            for name, value in (*headers, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    family, *_, address = socket.getaddrinfo(HOST, 0, type=socket.SOCK_STREAM)[0]

    class Server(ThreadingHTTPServer):
        address_family = family

    server = Server((str(address[0]), 0), Handler)
    provider.issuer = f"http://{HOST}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

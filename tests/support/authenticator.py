"""A software authenticator for passkeys (WebAuthn), as a browser would use it."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

USER_PRESENT, USER_VERIFIED, HAS_CREDENTIAL = 0x01, 0x04, 0x40


def encode(data: bytes) -> str:
    """Return base64url without padding, as WebAuthn uses it."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Authenticator:
    """One passkey. Its properties can be changed to answer wrongly."""

    origin: str
    key: EllipticCurvePrivateKey = field(default_factory=lambda: generate_private_key(SECP256R1()))
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    flags: int = USER_PRESENT | USER_VERIFIED
    rp_id: str = "localhost"
    counts: bool = True
    """Whether it counts its uses. Synchronised passkeys do not."""
    sign_count: int = 0
    user_handle: str | None = None

    def register(self, options: dict[str, Any]) -> str:
        """Return the answer to the options of a registration."""
        self.user_handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        public_key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        credential = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id
        data = self._authenticator_data(HAS_CREDENTIAL) + credential + cbor2.dumps(public_key)
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", options["challenge"])
        response = {"clientDataJSON": encode(client_data), "attestationObject": encode(attestation)}
        return self._answer({**response, "transports": ["internal"]})

    def sign(self, options: dict[str, Any]) -> str:
        """Return the answer to the options of a sign-in."""
        self.sign_count += self.counts
        data = self._authenticator_data()
        client_data = self._client_data("webauthn.get", options["challenge"])
        signature = self.key.sign(data + hashlib.sha256(client_data).digest(), ECDSA(SHA256()))
        response = {
            "clientDataJSON": encode(client_data),
            "authenticatorData": encode(data),
            "signature": encode(signature),
        }
        return self._answer({**response, "userHandle": self.user_handle} if self.user_handle else response)

    def _authenticator_data(self, more_flags: int = 0) -> bytes:
        flags = bytes([self.flags | more_flags])
        return hashlib.sha256(self.rp_id.encode()).digest() + flags + self.sign_count.to_bytes(4, "big")

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, response: dict[str, Any]) -> str:
        identifier = encode(self.credential_id)
        return json.dumps({"id": identifier, "rawId": identifier, "type": "public-key", "response": response})

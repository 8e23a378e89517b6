"""Builds the string that a signed request signs. Needs only the standard library."""

import hashlib


def canonical_string(method: str, path: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Returns five parts, separated by line feeds. Pass path and body exactly as you send them."""
    return "\n".join([method.upper(), path, timestamp, nonce, hashlib.sha256(body).hexdigest()])

"""What the signature of a request is made over. With the standard library alone."""

import hashlib


def canonical_string(method: str, path: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Five parts, a line feed between them and none at the end; path and body exactly as they will be sent."""
    return "\n".join([method.upper(), path, timestamp, nonce, hashlib.sha256(body).hexdigest()])

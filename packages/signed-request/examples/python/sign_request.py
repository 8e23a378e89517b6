"""Signs a request and prints the four headers in the form that curl reads (-H @-). Needs `cryptography` 43 or later.

SVC_PRIVATE_KEY=<64 hex> python3 sign_request.py <METHOD> <path with query> < body
"""

import os
import secrets
import sys
import time

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from canonical_string import canonical_string

N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def sign_request(
    private_key: str, method: str, path: str, body: bytes = b"", timestamp: str | None = None, nonce: str | None = None
) -> dict[str, str]:
    """Returns the headers of one request. private_key is 32 bytes in hex."""
    timestamp = timestamp or str(time.time_ns() // 1_000_000)
    nonce = nonce or secrets.token_hex(16)
    key = ec.derive_private_key(int(private_key, 16), ec.SECP256K1())
    text = canonical_string(method, path, timestamp, nonce, body)
    # The signature is r and s, 32 bytes each. Both s and N - s are valid: use the lower one.
    r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(SHA256(), deterministic_signing=True)))
    s = min(s, N - s)
    return {
        "x-svc-pubkey": key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint).hex(),
        "x-svc-timestamp": timestamp,
        "x-svc-nonce": nonce,
        "x-svc-sig": f"{r:064x}{s:064x}",
    }


if __name__ == "__main__":
    method, path, *timestamp_and_nonce = sys.argv[1:]
    private_key, body = os.environ["SVC_PRIVATE_KEY"], sys.stdin.buffer.read()
    headers = sign_request(private_key, method, path, body, *timestamp_and_nonce)
    for name, value in headers.items():
        print(f"{name}: {value}")

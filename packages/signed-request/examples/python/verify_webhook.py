"""Verifies a webhook. Needs only the standard library.

SVC_WEBHOOK_SECRET=whsec_… python3 verify_webhook.py <webhook-id> <webhook-timestamp> <webhook-signature> < body
"""

import base64
import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_SECONDS = 300


def verify_webhook(body: bytes, webhook_id: str, timestamp: str, signature: str, secret: str, now: float | None = None):
    """Raises ValueError unless the webhook is genuine.

    Pass the bytes of the raw body: parsed and re-serialised JSON fails.
    """
    if not webhook_id or not signature or not re.fullmatch(r"[1-9][0-9]{0,11}", timestamp or ""):
        raise ValueError("a webhook header is missing or malformed")
    if abs(int(time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        raise ValueError("the timestamp is more than 300 s from this clock")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{webhook_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # There may be several signatures, separated by spaces: one of them must match. The comparison takes constant time.
    if not any(hmac.compare_digest(candidate.encode(), expected) for candidate in signature.split(" ")):
        raise ValueError("no signature matches")


if __name__ == "__main__":
    webhook_id, timestamp, signature, *now = sys.argv[1:]
    try:
        verify_webhook(
            sys.stdin.buffer.read(),
            webhook_id,
            timestamp,
            signature,
            os.environ["SVC_WEBHOOK_SECRET"],
            float(now[0]) if now else None,
        )
    except ValueError as error:
        sys.exit(str(error))
    print("genuine")

// Signs a request and prints the four headers in the form that curl reads (-H @-). Needs only Node.
//   SVC_PRIVATE_KEY=<64 hex> node sign-request.mjs <METHOD> <path with query> < body
import { createECDH, createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The order of the curve. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Returns the string to sign: five parts, separated by line feeds. No line feed follows the last part. */
export function canonicalString({ method, path, timestamp, nonce, body }) {
  const digest = createHash('sha256').update(body).digest('hex');
  return [method.toUpperCase(), path, timestamp, nonce, digest].join('\n');
}

/** Returns the headers of one request. `privateKey` is 32 bytes in hex. Pass `path` and `body` exactly as you send them. */
export function signRequest({
  privateKey,
  method,
  path,
  body = '',
  timestamp = String(Date.now()),
  nonce = randomBytes(16).toString('hex'),
}) {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(privateKey, 'hex');
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const d = Buffer.from(privateKey, 'hex').toString('base64url');
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'secp256k1', d, x, y }, format: 'jwk' });

  // The signature is r and s, 32 bytes each. Both s and N - s are valid: use the lower one.
  const text = canonicalString({ method, path, timestamp, nonce, body });
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('hex');
  const s = BigInt(`0x${signature.slice(64)}`);
  const lowS = s > N / 2n ? N - s : s;

  return {
    'x-svc-pubkey': pair.getPublicKey('hex', 'compressed'),
    'x-svc-timestamp': timestamp,
    'x-svc-nonce': nonce,
    'x-svc-sig': signature.slice(0, 64) + lowS.toString(16).padStart(64, '0'),
  };
}

if (process.argv[1] === import.meta.filename) {
  const [, , method, path, timestamp, nonce] = process.argv;
  const privateKey = process.env.SVC_PRIVATE_KEY;
  const body = readFileSync(0);
  const headers = signRequest({ privateKey, method, path, body, timestamp, nonce });
  for (const [name, value] of Object.entries(headers)) console.log(`${name}: ${value}`);
}

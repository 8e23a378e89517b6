/**
 * Writes `vectors/*.json`. With `--check`, only reports whether the files are up to date.
 *
 *   node scripts/build-vectors.mjs [--check]
 *
 * It does not import `src`, so that the vectors are independent of the implementation: canonical strings are built here,
 * hashes come from node:crypto, signatures from @noble/secp256k1. Keys are the scalars 1, 2 and 3; nonces derive from the
 * names of the vectors. Nothing is random: every run writes the same bytes.
 */
import { createHash, createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as secp256k1 from '@noble/secp256k1';
import { WEBHOOKS } from './webhook-vectors.mjs';

const N = secp256k1.Point.CURVE().n;
const NOW_MS = Date.UTC(2026, 0, 1);

const sha256 = (data) => createHash('sha256').update(data).digest();
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const bytesOf = (hexText) => new Uint8Array(Buffer.from(hexText, 'hex'));
const scalarHex = (scalar) => BigInt(scalar).toString(16).padStart(64, '0');
const publicKeyOf = (scalar) => hex(secp256k1.getPublicKey(bytesOf(scalarHex(scalar)), true));

secp256k1.hashes.hmacSha256 = (key, message) =>
  new Uint8Array(createHmac('sha256', key).update(message).digest());

function sign(text, scalar) {
  const digest = new Uint8Array(sha256(text));
  return hex(secp256k1.sign(digest, bytesOf(scalarHex(scalar)), { prehash: false }));
}

/** Returns the second valid signature of the same message: with N − s in place of s. */
const highSTwin = (signature) => signature.slice(0, 64) + scalarHex(N - BigInt(`0x${signature.slice(64)}`));

function derOf(signature) {
  const integer = (part) => {
    const magnitude = part.replace(/^(00)+(?=..)/, '');
    const value = Number.parseInt(magnitude.slice(0, 2), 16) > 0x7f ? `00${magnitude}` : magnitude;
    return `02${(value.length / 2).toString(16).padStart(2, '0')}${value}`;
  };
  const sequence = integer(signature.slice(0, 64)) + integer(signature.slice(64));
  return `30${(sequence.length / 2).toString(16).padStart(2, '0')}${sequence}`;
}

// ---- Requests ----------------------------------------------------------------------------------------------

const bodyBytes = (body) => Buffer.from(body.value, body.encoding);
const digestOf = (body) => hex(sha256(bodyBytes(body)));
const utf8 = (value) => ({ encoding: 'utf8', value });

const canonicalOf = ({ method, path, timestamp, nonce, body }) =>
  [method, path, timestamp, nonce, digestOf(body)].join('\n');

/** Signs a request like a correct client. */
function signedRequest(
  name,
  { scalar = 1, method = 'GET', path = '/v1/trades', body = utf8(''), timestampMs = NOW_MS } = {},
) {
  const request = {
    method,
    path,
    timestamp: String(timestampMs),
    nonce: hex(sha256(`nonce: ${name}`)).slice(0, 32),
    body,
  };
  return { name, scalar, ...request, signature: sign(canonicalOf(request), scalar) };
}

/** Returns the vector of a request that `changes` altered after it was signed. */
function vector(signed, expected, changes = {}) {
  const { headers: headerChanges = {}, claimed_before = false, ...requestChanges } = changes;
  const request = { ...signed, ...requestChanges };
  const headers = Object.fromEntries(
    Object.entries({
      'x-svc-pubkey': publicKeyOf(signed.scalar),
      'x-svc-timestamp': request.timestamp,
      'x-svc-nonce': request.nonce,
      'x-svc-sig': request.signature,
      ...headerChanges,
    }).filter(([, value]) => value !== undefined),
  );
  const isWellFormed = expected !== 'invalid_signature_headers';
  const canonical = isWellFormed
    ? canonicalOf({ ...request, timestamp: headers['x-svc-timestamp'], nonce: headers['x-svc-nonce'] })
    : null;
  return {
    name: signed.name,
    private_scalar: String(signed.scalar),
    method: request.method,
    path: request.path,
    timestamp: headers['x-svc-timestamp'] ?? null,
    nonce: headers['x-svc-nonce'] ?? null,
    body: request.body,
    body_sha256: digestOf(request.body),
    canonical_string: canonical,
    headers,
    nonce_claimed_before: claimed_before,
    expected,
  };
}

function acceptedRequests() {
  const accepted = (name, request, changes) => vector(signedRequest(name, request), 'accepted', changes);
  const highS = signedRequest('POST, JSON body, the high-s twin', {
    method: 'POST',
    body: utf8('{"amount":1}'),
  });
  return [
    accepted('GET without a body'),
    accepted('GET with a query string', { path: '/v1/trades?limit=50&sort=created_at&order=desc' }),
    accepted('GET with a parameter given twice', { path: '/v1/trades?a=1&a=2' }),
    accepted('GET with an empty query', { path: '/v1/trades?' }),
    accepted('GET on a legacy alias', { path: '/trades' }),
    accepted('GET with percent-encoded text', { path: '/v1/trade-pairs?symbol=BTC%2FUSDT&q=%E2%82%BF' }),
    accepted('GET with a doubled slash', { path: '/v1//trades' }),
    accepted('POST with an empty body', { method: 'POST', path: '/v1/webhooks/whk_01/test' }),
    accepted('POST with a JSON body', {
      method: 'POST',
      body: utf8('{"side":"BUY","type":"LIMIT","price":"60000.10","amount":"0.000000000000000001"}'),
    }),
    accepted('POST with the same JSON spelt with spaces', {
      method: 'POST',
      body: utf8('{ "side": "BUY", "type": "LIMIT", "price": "60000.10", "amount": "0.000000000000000001" }'),
    }),
    accepted('POST with text beyond ASCII', {
      method: 'POST',
      path: '/v1/strategies',
      body: utf8('{"name":"Zürich ₿ 東京 🚀"}'),
    }),
    accepted('PUT with bytes that are no UTF-8', {
      method: 'PUT',
      path: '/v1/settings/blob',
      body: { encoding: 'hex', value: '00ff0a0dc328fe' },
    }),
    accepted('PATCH by another key', {
      scalar: 2,
      method: 'PATCH',
      path: '/v1/me',
      body: utf8('{"email":"a@example.com"}'),
    }),
    accepted('DELETE', { method: 'DELETE', path: '/v1/api-keys/key_01' }),
    accepted('CONNECT for a GraphQL subscription', { method: 'CONNECT', path: '/graphql' }),
    accepted('timestamp 60,000 ms behind', { timestampMs: NOW_MS - 60_000 }),
    accepted('timestamp 60,000 ms ahead', { timestampMs: NOW_MS + 60_000 }),
    vector(highS, 'accepted', { signature: highSTwin(highS.signature) }),
  ];
}

function refusedHeaders() {
  const refused = (name, headersOf, request) => {
    const signed = signedRequest(name, request);
    return vector(signed, 'invalid_signature_headers', {
      headers: headersOf(signed, publicKeyOf(signed.scalar)),
    });
  };
  return [
    refused('x-svc-pubkey missing', () => ({ 'x-svc-pubkey': undefined })),
    refused('x-svc-timestamp missing', () => ({ 'x-svc-timestamp': undefined })),
    refused('x-svc-nonce missing', () => ({ 'x-svc-nonce': undefined })),
    refused('x-svc-sig missing', () => ({ 'x-svc-sig': undefined })),
    refused('x-svc-pubkey alone', () => ({
      'x-svc-timestamp': undefined,
      'x-svc-nonce': undefined,
      'x-svc-sig': undefined,
    })),
    refused('x-svc-sig empty', () => ({ 'x-svc-sig': '' })),
    refused('signature in DER', ({ signature }) => ({ 'x-svc-sig': derOf(signature) })),
    refused('signature of 63 bytes', ({ signature }) => ({ 'x-svc-sig': signature.slice(2) })),
    refused('signature of 65 bytes', ({ signature }) => ({ 'x-svc-sig': `${signature}00` })),
    refused('signature in upper case', ({ signature }) => ({ 'x-svc-sig': signature.toUpperCase() })),
    refused('signature with an odd digit', ({ signature }) => ({
      'x-svc-sig': `${signature.slice(0, -1)}g`,
    })),
    refused('public key in upper case', (_, key) => ({ 'x-svc-pubkey': key.toUpperCase() })),
    refused('public key of 32 bytes', (_, key) => ({ 'x-svc-pubkey': key.slice(2) })),
    refused('public key with prefix 04', (_, key) => ({ 'x-svc-pubkey': `04${key.slice(2)}` })),
    refused('public key with prefix 05', (_, key) => ({ 'x-svc-pubkey': `05${key.slice(2)}` })),
    refused('public key uncompressed', (_, key) => ({
      'x-svc-pubkey': secp256k1.Point.fromHex(key).toHex(false),
    })),
    refused('public key at infinity', () => ({ 'x-svc-pubkey': '00' })),
    refused('nonce of 15 bytes', ({ nonce }) => ({ 'x-svc-nonce': nonce.slice(2) })),
    refused('nonce of 17 bytes', ({ nonce }) => ({ 'x-svc-nonce': `${nonce}00` })),
    refused('nonce in upper case', ({ nonce }) => ({ 'x-svc-nonce': `AB${nonce.slice(2)}` })),
    refused('timestamp NaN', () => ({ 'x-svc-timestamp': 'NaN' })),
    refused('timestamp negative', () => ({ 'x-svc-timestamp': `-${NOW_MS}` })),
    refused('timestamp 1e20', () => ({ 'x-svc-timestamp': '1e20' })),
    refused('timestamp of 21 digits', () => ({ 'x-svc-timestamp': '100000000000000000000' })),
    refused('timestamp with a fraction', ({ timestamp }) => ({ 'x-svc-timestamp': `${timestamp}.0` })),
    refused('timestamp with a blank', ({ timestamp }) => ({ 'x-svc-timestamp': ` ${timestamp}` })),
    refused('timestamp as ISO 8601', () => ({ 'x-svc-timestamp': new Date(NOW_MS).toISOString() })),
  ];
}

function refusedSignatures() {
  const json = { method: 'POST', body: utf8('{"amount":1}') };
  const refused = (name, request, changesOf) => {
    const signed = signedRequest(name, request);
    return vector(signed, 'invalid_signature', changesOf(signed));
  };
  const signedText = (name, textOf) =>
    refused(name, json, (signed) => ({ signature: sign(textOf(canonicalOf(signed), signed), 1) }));
  const zero = scalarHex(0);
  const n = scalarHex(N);
  return [
    refused('body with one byte altered', json, () => ({ body: utf8('{"amount":2}') })),
    refused('body with a blank more', json, () => ({ body: utf8('{"amount": 1}') })),
    refused('body taken away', json, () => ({ body: utf8('') })),
    refused('body added to a GET', {}, () => ({ body: utf8('{}') })),
    refused('method altered', json, () => ({ method: 'PUT' })),
    refused('path with a slash doubled', {}, () => ({ path: '/v1//trades' })),
    refused('path with a letter percent-encoded', {}, () => ({ path: '/v1/%74rades' })),
    refused('path with an empty query added', {}, () => ({ path: '/v1/trades?' })),
    refused('path sent to the legacy alias', {}, () => ({ path: '/trades' })),
    refused('query altered', { path: '/v1/trades?limit=50' }, () => ({ path: '/v1/trades?limit=51' })),
    refused('query in another order', { path: '/v1/trades?a=1&b=2' }, () => ({ path: '/v1/trades?b=2&a=1' })),
    refused('timestamp altered', {}, () => ({ headers: { 'x-svc-timestamp': String(NOW_MS + 1) } })),
    refused('timestamp with a leading zero', {}, () => ({ headers: { 'x-svc-timestamp': `0${NOW_MS}` } })),
    refused('nonce altered', {}, ({ nonce }) => ({
      headers: { 'x-svc-nonce': nonce.replace(/^./, (c) => (c === '0' ? '1' : '0')) },
    })),
    refused("another known key's name on it", {}, () => ({ headers: { 'x-svc-pubkey': publicKeyOf(2) } })),
    refused('the same x with the other y', {}, () => ({
      headers: { 'x-svc-pubkey': publicKeyOf(1).replace(/^02/, '03') },
    })),
    signedText('signed with a newline at the end', (text) => `${text}\n`),
    signedText('signed with CRLF', (text) => text.replaceAll('\n', '\r\n')),
    signedText('signed over the digest in upper case', (text, { body }) =>
      text.replace(digestOf(body), digestOf(body).toUpperCase()),
    ),
    signedText('signed over SHA-256 of the digest', (text) => sha256(text)),
    refused('r of 0', json, ({ signature }) => ({ signature: zero + signature.slice(64) })),
    refused('s of 0', json, ({ signature }) => ({ signature: signature.slice(0, 64) + zero })),
    refused('r and s of 0', json, () => ({ signature: zero + zero })),
    refused('r of n', json, ({ signature }) => ({ signature: n + signature.slice(64) })),
    refused('s of n', json, ({ signature }) => ({ signature: signature.slice(0, 64) + n })),
    refused('r and s of 2^256 - 1', json, () => ({ signature: 'f'.repeat(128) })),
    refused('r and s exchanged', json, ({ signature }) => ({
      signature: signature.slice(64) + signature.slice(0, 64),
    })),
  ];
}

function refusedOtherwise() {
  const refused = (name, expected, request, changesOf = () => ({})) => {
    const signed = signedRequest(name, request);
    return vector(signed, expected, changesOf(signed));
  };
  const withBrokenSignature = ({ signature }) => ({
    signature: signature.replace(/^../, (b) => (b === '00' ? '01' : '00')),
  });
  return [
    refused('timestamp 60,001 ms behind', 'timestamp_out_of_window', { timestampMs: NOW_MS - 60_001 }),
    refused('timestamp 60,001 ms ahead', 'timestamp_out_of_window', { timestampMs: NOW_MS + 60_001 }),
    refused('timestamp in seconds', 'timestamp_out_of_window', { timestampMs: NOW_MS / 1000 }),
    refused('timestamp 0', 'timestamp_out_of_window', { timestampMs: 0 }),
    refused(
      'timestamp old and signature broken: the time is judged first',
      'timestamp_out_of_window',
      { timestampMs: NOW_MS - 61_000 },
      withBrokenSignature,
    ),
    refused('key of no account', 'unknown_public_key', { scalar: 3 }),
    refused(
      'key of no account and signature broken: the key is judged first',
      'unknown_public_key',
      { scalar: 3 },
      withBrokenSignature,
    ),
    refused('key whose x is on no point of the curve', 'unknown_public_key', {}, () => ({
      headers: { 'x-svc-pubkey': `02${scalarHex(5)}` },
    })),
    refused('nonce used before', 'nonce_replayed', {}, () => ({ claimed_before: true })),
    refused('nonce used before, now with the high-s twin', 'nonce_replayed', {}, ({ signature }) => ({
      claimed_before: true,
      signature: highSTwin(signature),
    })),
    refused(
      'nonce used before and signature broken: the signature is judged first',
      'invalid_signature',
      {},
      (signed) => ({
        claimed_before: true,
        ...withBrokenSignature(signed),
      }),
    ),
  ];
}

const REQUESTS_HEADER = {
  server_time_ms: NOW_MS,
  known_public_keys: [publicKeyOf(1), publicKeyOf(2), publicKeyOf(1).replace(/^02/, '03')],
};

const requestFile = (about, vectors) => ({ about, ...REQUESTS_HEADER, vectors });

// ---- Bare signatures, for every engine ---------------------------------------------------------------------

/**
 * Returns a valid signature whose point R has an x of at least N, so that r is x − N. The public key is computed from
 * the signature, as (s·R − e·G) / r, where e is the hash of the text and G the base point.
 */
function signatureWithXAboveN(text) {
  for (let r = 1n; ; r++) {
    const point = pointAtX(N + r);
    if (point === null) continue;
    const s = 1n;
    const e = BigInt(`0x${hex(sha256(text))}`) % N;
    const inverse = BigInt(`0x${hex(secp256k1.etc.numberToBytesBE(secp256k1.etc.invert(r, N)))}`);
    const u = (inverse * s) % N;
    const v = (N - ((inverse * e) % N)) % N;
    const key = point.multiply(u).add(secp256k1.Point.BASE.multiply(v));
    return { public_key: key.toHex(true), signature: scalarHex(r) + scalarHex(s) };
  }
}

function pointAtX(x) {
  try {
    return secp256k1.Point.fromHex(`02${scalarHex(x)}`);
  } catch {
    return null;
  }
}

function bareSignatures() {
  const message = 'a message, hashed once with SHA-256';
  const key = publicKeyOf(1);
  const signature = sign(message, 1);
  const r = signature.slice(0, 64);
  const s = signature.slice(64);
  const base = { message, public_key: key, signature };
  const valid = (name, changes = {}) => ({ name, ...base, ...changes, valid: true });
  const invalid = (name, changes) => ({ name, ...base, ...changes, valid: false });
  return [
    valid('scalar 1'),
    valid('scalar 2', { public_key: publicKeyOf(2), signature: sign(message, 2) }),
    valid('scalar 3', { public_key: publicKeyOf(3), signature: sign(message, 3) }),
    valid('high s', { signature: highSTwin(signature) }),
    valid('empty message', { message: '', signature: sign('', 1) }),
    valid('text beyond ASCII', { message: 'Zürich ₿ 東京 🚀', signature: sign('Zürich ₿ 東京 🚀', 1) }),
    valid('x of R above n', signatureWithXAboveN(message)),
    invalid('another message', { message: `${message}.` }),
    invalid('another key', { public_key: publicKeyOf(2) }),
    invalid('the other y', { public_key: key.replace(/^02/, '03') }),
    invalid('r of 0', { signature: scalarHex(0) + s }),
    invalid('s of 0', { signature: r + scalarHex(0) }),
    invalid('r and s of 0', { signature: scalarHex(0) + scalarHex(0) }),
    invalid('r of n', { signature: scalarHex(N) + s }),
    invalid('s of n', { signature: r + scalarHex(N) }),
    invalid('r of n + 1', { signature: scalarHex(N + 1n) + s }),
    invalid('s of n + 1', { signature: r + scalarHex(N + 1n) }),
    invalid('r and s of n - 1', { signature: scalarHex(N - 1n) + scalarHex(N - 1n) }),
    invalid('r and s of 2^256 - 1', { signature: 'f'.repeat(128) }),
    invalid('r and s of 1', { signature: scalarHex(1) + scalarHex(1) }),
    invalid('r and s exchanged', { signature: s + r }),
    invalid('63 bytes', { signature: signature.slice(0, -2) }),
    invalid('65 bytes', { signature: `${signature}00` }),
    invalid('empty signature', { signature: '' }),
    invalid('DER', { signature: derOf(signature) }),
    invalid('key whose x is on no point of the curve', { public_key: `02${scalarHex(5)}` }),
    invalid('key whose x is the field prime', { public_key: `02${secp256k1.Point.CURVE().p.toString(16)}` }),
    invalid('key of x 0', { public_key: `02${scalarHex(0)}` }),
    invalid('key with prefix 00', { public_key: key.replace(/^02/, '00') }),
    invalid('key with prefix 04', { public_key: key.replace(/^02/, '04') }),
    invalid('key with hybrid prefix 06', { public_key: key.replace(/^02/, '06') }),
    invalid('key of 32 bytes', { public_key: key.slice(2) }),
    invalid('key uncompressed', { public_key: secp256k1.Point.BASE.toHex(false) }),
    invalid('key at infinity', { public_key: '00' }),
    invalid('empty key', { public_key: '' }),
  ];
}

// ---- Command-line identity ---------------------------------------------------------------------------------

function identities() {
  const challenge = hex(sha256('challenge'));
  const identity = (name, valid, { signer = 1, text = (message) => message } = {}) => {
    const message = `svc-cli-identity\n${challenge}\n${publicKeyOf(1)}`;
    return {
      name,
      challenge,
      public_key: publicKeyOf(1),
      message,
      signature: sign(text(message), signer),
      valid,
    };
  };
  return [
    identity('signed by the key that it names', true),
    identity('signed by another key', false, { signer: 2 }),
    identity('signed over another challenge', false, {
      text: (m) => m.replace(challenge, hex(sha256('another'))),
    }),
    identity('signed with a newline at the end', false, { text: (m) => `${m}\n` }),
  ];
}

// ---- Files -------------------------------------------------------------------------------------------------

const FILES = {
  'requests-accepted.json': requestFile(
    'Requests that a server accepts if its clock shows server_time_ms and it knows known_public_keys.',
    acceptedRequests(),
  ),
  'requests-refused.json': requestFile(
    'Requests that a server rejects. expected is the error code. canonical_string is the string that the server computes; null if the headers are malformed.',
    [...refusedHeaders(), ...refusedSignatures(), ...refusedOtherwise()],
  ),
  'signatures.json': {
    about:
      'ECDSA over secp256k1 and SHA-256 of message (UTF-8). signature is r then s in hex. valid is the result that every engine must return.',
    vectors: bareSignatures(),
  },
  'cli-identities.json': {
    about: 'Signatures for POST /v1/auth/cli-identity. message is the signed string (UTF-8).',
    vectors: identities(),
  },
  'webhooks.json': WEBHOOKS,
};

const isCheck = process.argv.includes('--check');
for (const [name, content] of Object.entries(FILES)) {
  const path = fileURLToPath(new URL(`../vectors/${name}`, import.meta.url));
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (!isCheck) {
    writeFileSync(path, text);
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`vectors/${name} is outdated; run scripts/build-vectors.mjs`);
    process.exitCode = 1;
  }
}

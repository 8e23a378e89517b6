/**
 * The webhook vectors for build-vectors.mjs. The reference library of Standard Webhooks computes the signatures. node:crypto
 * computes those that the library cannot create (binary bodies, malformed timestamps). The secrets are ascending bytes.
 */
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

const NOW_SECONDS = Date.UTC(2026, 0, 1) / 1000;
const TOLERANCE_SECONDS = 300;
const ID = 'evt_01kdvq1000e8g81040g2081040';
const EVENT = `{"event_id":"${ID}","type":"trade.filled","timestamp":"2026-01-01T00:00:00.000Z","data":{"amount":0.01}}`;

const keyFrom = (first) => Buffer.from(Array.from({ length: 32 }, (_, index) => first + index));
const KEY = keyFrom(0);
const secretOf = (key) => `whsec_${key.toString('base64')}`;
const utf8 = (value) => ({ encoding: 'utf8', value });

/** Signs any bytes; the timestamp may be any string. */
const hmacOf = (body, { id = ID, timestamp = String(NOW_SECONDS), key = KEY } = {}) =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;

/** Returns the vector of a webhook that the platform sent and `changes` altered. */
function webhook(name, expected, { body = utf8(EVENT), sentSeconds = NOW_SECONDS, ...changes } = {}) {
  const bytes = Buffer.from(body.value, body.encoding);
  const signature =
    body.encoding === 'utf8'
      ? new Webhook(secretOf(KEY)).sign(ID, new Date(sentSeconds * 1000), body.value)
      : hmacOf(bytes, { timestamp: String(sentSeconds) });
  const headers = {
    'webhook-id': ID,
    'webhook-timestamp': String(sentSeconds),
    'webhook-signature': signature,
    ...changes.headers,
  };
  return {
    name,
    secret: secretOf(KEY),
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    body,
    expected,
  };
}

const signatureHeader = (value) => ({ headers: { 'webhook-signature': value } });

function accepted() {
  const good = hmacOf(EVENT);
  const byOtherSecret = hmacOf(EVENT, { key: keyFrom(32) });
  return [
    webhook('an event', 'accepted'),
    webhook('text beyond ASCII', 'accepted', { body: utf8('{"name":"Zürich ₿ 東京 🚀"}') }),
    webhook('a line feed at the end', 'accepted', { body: utf8(`${EVENT}\n`) }),
    webhook('an empty body', 'accepted', { body: utf8('') }),
    webhook('bytes that are not UTF-8', 'accepted', { body: { encoding: 'hex', value: '00ff0a0dc328fe' } }),
    webhook('sent 300 s ago', 'accepted', { sentSeconds: NOW_SECONDS - TOLERANCE_SECONDS }),
    webhook('sent 300 s ahead', 'accepted', { sentSeconds: NOW_SECONDS + TOLERANCE_SECONDS }),
    webhook(
      'with a second signature, by another secret',
      'accepted',
      signatureHeader(`${byOtherSecret} ${good}`),
    ),
    webhook('with a second signature, of another scheme', 'accepted', signatureHeader(`v1a,AAAA ${good}`)),
  ];
}

function mismatched() {
  const refused = (name, changes) => webhook(name, 'signature_mismatch', changes);
  const [scheme, digest] = hmacOf(EVENT).split(',');
  const withBody = (name, value) => ({ ...refused(name), body: utf8(value) });
  return [
    withBody('body with one byte altered', EVENT.replace('0.01', '0.02')),
    withBody('body parsed and serialised again with spaces', EVENT.replaceAll(',', ', ')),
    withBody('body cut short', EVENT.slice(0, -1)),
    refused('id altered', { headers: { 'webhook-id': `${ID}0` } }),
    refused('time altered', { headers: { 'webhook-timestamp': String(NOW_SECONDS + 1) } }),
    refused('signed with another secret', signatureHeader(hmacOf(EVENT, { key: keyFrom(32) }))),
    refused('signature of another scheme', signatureHeader(`v1a,${digest}`)),
    refused('signature without a scheme', signatureHeader(digest)),
    refused('signature cut short', signatureHeader(`${scheme},${digest.slice(0, -4)}`)),
    refused('empty signature after the scheme', signatureHeader(`${scheme},`)),
    refused(
      'signature of the body alone',
      signatureHeader(`v1,${createHmac('sha256', KEY).update(EVENT).digest('base64')}`),
    ),
  ];
}

function refusedOtherwise() {
  const malformed = (name, headers) => webhook(name, 'malformed_header', { headers });
  const timed = (name, timestamp) =>
    malformed(name, {
      'webhook-timestamp': timestamp,
      'webhook-signature': hmacOf(EVENT, { timestamp }),
    });
  return [
    webhook('sent 301 s ago', 'too_old', { sentSeconds: NOW_SECONDS - TOLERANCE_SECONDS - 1 }),
    webhook('sent 301 s ahead', 'too_new', { sentSeconds: NOW_SECONDS + TOLERANCE_SECONDS + 1 }),
    malformed('webhook-id missing', { 'webhook-id': undefined }),
    malformed('webhook-timestamp missing', { 'webhook-timestamp': undefined }),
    malformed('webhook-signature missing', { 'webhook-signature': undefined }),
    timed('time with a fraction', `${NOW_SECONDS}.0`),
    timed('time with a sign', `+${NOW_SECONDS}`),
    timed('time as ISO 8601', new Date(NOW_SECONDS * 1000).toISOString()),
  ];
}

export const WEBHOOKS = {
  about:
    'Webhooks for a receiver whose clock shows now_seconds and which tolerates tolerance_seconds. expected is accepted or the error code.',
  now_seconds: NOW_SECONDS,
  tolerance_seconds: TOLERANCE_SECONDS,
  vectors: [...accepted(), ...mismatched(), ...refusedOtherwise()],
};

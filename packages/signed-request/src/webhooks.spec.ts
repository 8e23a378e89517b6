import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { type ReceivedWebhook, signWebhook, verifyWebhook, WebhookVerificationError } from './webhooks.js';

const keyOf = (label: string) => createHash('sha256').update(label).digest();
const secretOf = (label: string) => `whsec_${keyOf(label).toString('base64')}`;
const SECRET = secretOf('a webhook');
const OTHER = secretOf('another webhook');
const ID = 'evt_01h455vb4pex5vsknk084sn02q';
const BODY = '{"event_id":"evt_01h455vb4pex5vsknk084sn02q","data":{"text":"Zürich \u2028 😀"}}';
const NOW_S = 1_763_780_000;
const NOW_MS = NOW_S * 1000;

/** Returns the headers that the standardwebhooks library signs. */
function signed({ id = ID, body = BODY, seconds = NOW_S, secret = SECRET } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  };
}
const verify = (changed: Partial<ReceivedWebhook> = {}) =>
  verifyWebhook({ payload: BODY, headers: signed(), secret: SECRET, nowMs: NOW_MS, ...changed });
function codeOf(changed: Partial<ReceivedWebhook>): string {
  try {
    verify(changed);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
  return 'none';
}
/** Returns signed headers with these signatures as `webhook-signature`. */
const withSignatures = (...signatures: string[]) => ({
  ...signed(),
  'webhook-signature': signatures.join(' '),
});
const good = signed()['webhook-signature'];
const foreign = signed({ secret: OTHER })['webhook-signature'];

describe('verifyWebhook', () => {
  it('accepts every webhook that the standardwebhooks library signs; the payload may be a string or bytes', () => {
    const cases = fc.record({
      id: fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/),
      seconds: fc.integer({ min: 1, max: 4_000_000_000 }),
      body: fc.string({ unit: 'binary' }),
      key: fc.uint8Array({ minLength: 24, maxLength: 64 }),
    });
    fc.assert(
      fc.property(cases, ({ id, seconds, body, key }) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const headers = signed({ id, seconds, body, secret });
        for (const payload of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
          expect(verifyWebhook({ payload, headers, secret, nowMs: seconds * 1000 })).toEqual({
            id,
            sentAt: new Date(seconds * 1000),
          });
        }
      }),
    );
  });

  it('accepts any bytes that node:crypto signs, valid UTF-8 or not', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (payload) => {
        const digest = createHmac('sha256', keyOf('a webhook')).update(`${ID}.${NOW_S}.`).update(payload);
        const headers = withSignatures(`v1,${digest.digest('base64')}`);
        expect(verify({ payload, headers }).id).toBe(ID);
      }),
    );
  });

  it('rejects a webhook if one bit of its id, time, body or signature is flipped', () => {
    const webhook = { ...signed(), body: BODY };
    for (const [name, text] of Object.entries(webhook)) {
      const bytes = Buffer.from(text);
      for (let index = 0; index < bytes.length * 8; index++) {
        const flipped = Buffer.from(bytes);
        flipped[index >> 3] = flipped[index >> 3]! ^ (1 << (index & 7));
        const { body, ...headers } = {
          ...webhook,
          [name]: name === 'body' ? flipped : flipped.toString('latin1'),
        };
        expect(codeOf({ payload: body, headers })).not.toBe('none');
      }
    }
  });

  it('rejects a wrong secret; accepts one of several secrets, with or without the prefix whsec_', () => {
    expect(codeOf({ secret: OTHER })).toBe('signature_mismatch');
    expect(verify({ secret: [OTHER, SECRET] }).id).toBe(ID);
    expect(verify({ secret: [SECRET, OTHER] }).id).toBe(ID);
    expect(verify({ secret: SECRET.slice('whsec_'.length) }).id).toBe(ID);
  });

  it.each([
    ['at the start of the list', [good, foreign]],
    ['at the end of the list', ['v1a,AAAA', foreign, good]],
    ['among malformed signatures', ['v1', 'v1,', ',', '', good, 'v1,']],
  ])('finds the valid signature %s', (_position, signatures) => {
    expect(verify({ headers: withSignatures(...signatures) }).id).toBe(ID);
  });

  it.each([
    ['of another scheme', [good.replace('v1,', 'v1a,')]],
    ['of an older scheme', [good.replace('v1,', 'v0,')]],
    ['without a scheme', [good.slice(3)]],
    ['with an upper-case scheme', [good.replace('v1,', 'V1,')]],
    ['that lacks its last character', [good.slice(0, -1)]],
    ['with one character too many', [`${good}=`]],
    ['that is empty', ['v1,']],
    ['separated from another one by a comma, not a space', [`${foreign},${good.slice(3)}`]],
  ])('rejects a signature %s as a mismatch', (_description, signatures) => {
    expect(codeOf({ headers: withSignatures(...signatures) })).toBe('signature_mismatch');
  });

  it('accepts a timestamp that is up to 300 s, or the configured tolerance, before or after the clock', () => {
    expect(verify({ nowMs: NOW_MS + 300_999 }).sentAt).toEqual(new Date(NOW_MS));
    expect(codeOf({ nowMs: NOW_MS + 301_000 })).toBe('too_old');
    expect(verify({ nowMs: NOW_MS - 300_000 }).id).toBe(ID);
    expect(codeOf({ nowMs: NOW_MS - 300_001 })).toBe('too_new');
    expect(codeOf({ nowMs: NOW_MS + 11_000, toleranceSeconds: 10 })).toBe('too_old');
    expect(codeOf({ nowMs: NOW_MS + 1_000, toleranceSeconds: Number.NaN })).toBe('too_old');
  });

  it('uses the system clock if nowMs is not passed', () => {
    const seconds = Math.floor(Date.now() / 1000);
    const fresh = { payload: BODY, headers: signed({ seconds }), secret: SECRET };
    expect(verifyWebhook(fresh).sentAt).toEqual(new Date(seconds * 1000));
    expect(() => verifyWebhook({ ...fresh, headers: signed() })).toThrow('clock');
  });

  it('reads the headers of fetch and of Node, with names in any case, and ignores other headers', () => {
    expect(verify({ headers: new Headers(signed()) }).id).toBe(ID);
    const capitals = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]);
    expect(verify({ headers: { ...Object.fromEntries(capitals), 'set-cookie': ['a', 'b'] } }).id).toBe(ID);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'names the header %s in the error if it is missing, empty, repeated or malformed',
    (name) => {
      const value = signed()[name as keyof ReturnType<typeof signed>];
      const bad = [undefined, '', [value, value], `${value}\n`, `\u00e9${value}`];
      for (const invalid of bad) {
        const headers = { ...signed(), [name]: invalid };
        expect(() => verify({ headers })).toThrow(name);
        expect(codeOf({ headers })).toBe('malformed_header');
      }
      expect(codeOf({ headers: { ...signed(), [name.toUpperCase()]: value } })).toBe('malformed_header');
    },
  );

  it.each(['+1763780000', '01763780000', '1763780000.5', '1e9', '-1', '0x10', 'NaN', ' 1763780000'])(
    'rejects the timestamp %s',
    (timestamp) => {
      const headers = { ...signed(), 'webhook-timestamp': timestamp };
      expect(codeOf({ headers })).toBe('malformed_header');
    },
  );

  it('rejects an id with a full stop, which could shift the boundary between id and timestamp', () => {
    // The signed bytes are `<id>.<timestamp>.<body>`. A part of this id could be read as the timestamp.
    const headers = { ...signed(), 'webhook-id': `${ID}.${NOW_S}` };
    expect(codeOf({ headers, payload: BODY })).toBe('malformed_header');
  });

  it('throws errors that say how to fix incorrect usage: a parsed body, or a missing or invalid secret', () => {
    const parsed = JSON.parse(BODY) as unknown as string;
    expect(() => verify({ payload: parsed })).toThrow(
      new TypeError('The payload must be the raw body, a string or bytes. Pass it before any JSON parser.'),
    );
    for (const secret of ['', 'whsec_', 'whsec_?', `whsec_${'A'.repeat(28)}`, undefined as unknown as string])
      expect(() => verify({ secret })).toThrow(TypeError);
    expect(() => verify({ secret: [] })).toThrow(TypeError);
  });

  it('throws errors that contain neither a secret nor a signature', () => {
    const mismatched = { secret: OTHER, headers: withSignatures(foreign.toLowerCase(), good) };
    let message = '';
    try {
      verify(mismatched);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('raw body');
    for (const hidden of [OTHER.slice(6), good.slice(3), foreign.slice(3).toLowerCase()])
      expect(message).not.toContain(hidden);
  });
});

describe('signWebhook', () => {
  const sent = fc.record({
    id: fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/),
    seconds: fc.integer({ min: 1, max: 4_000_000_000 }),
    body: fc.string({ unit: 'binary' }),
    key: fc.uint8Array({ minLength: 24, maxLength: 64 }),
  });

  it('returns the same headers as the standardwebhooks library, for strings and bytes', () => {
    fc.assert(
      fc.property(sent, ({ id, seconds, body, key }) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        for (const payload of [body, Buffer.from(body)])
          expect(signWebhook({ id, payload, secret, nowMs: seconds * 1000 + 999 })).toEqual(
            signed({ id, seconds, body, secret }),
          );
      }),
    );
  });

  it('signs with the current time by default; the standardwebhooks library and verifyWebhook accept the result', () => {
    const headers = signWebhook({ id: ID, payload: BODY, secret: SECRET });
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(verifyWebhook({ payload: BODY, headers, secret: SECRET }).id).toBe(ID);
  });

  it.each(['', 'a.b', 'a b', 'ü'])('rejects the id "%s", which receivers reject', (id) => {
    expect(() => signWebhook({ id, payload: BODY, secret: SECRET })).toThrow(TypeError);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects the time %s', (nowMs) => {
    expect(() => signWebhook({ id: ID, payload: BODY, secret: SECRET, nowMs })).toThrow(TypeError);
  });

  it('rejects an invalid secret', () => {
    expect(() => signWebhook({ id: ID, payload: BODY, secret: 'whsec_' })).toThrow(TypeError);
  });
});

describe('the message of an error', () => {
  const thrownBy = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : error;
    }
    return undefined;
  };
  const refusal = 'WebhookVerificationError:';

  it.each([
    [
      'no signature matches',
      { secret: OTHER },
      `${refusal} No signature matches. Pass the raw body, before any parser, and the secret of this webhook from its creation or last rotation.`,
    ],
    [
      'a header is missing',
      { headers: { ...signed(), 'webhook-id': undefined } },
      `${refusal} webhook-id is missing. Pass all headers of the request; a proxy may have removed it.`,
    ],
    [
      'a header of fetch is missing',
      { headers: new Headers() },
      `${refusal} webhook-id is missing. Pass all headers of the request; a proxy may have removed it.`,
    ],
    [
      'an id has a space',
      { headers: { ...signed(), 'webhook-id': 'a b' } },
      `${refusal} webhook-id must occur once and be an id without spaces and full stops.`,
    ],
    [
      'a timestamp is no number',
      { headers: { ...signed(), 'webhook-timestamp': 'now' } },
      `${refusal} webhook-timestamp must occur once and be Unix time in whole seconds.`,
    ],
    [
      'a signature is not printable',
      { headers: { ...signed(), 'webhook-signature': 'v1,\t' } },
      `${refusal} webhook-signature must occur once and be signatures, separated by spaces.`,
    ],
    [
      'it was sent long ago',
      { nowMs: NOW_MS + 301_000 },
      `${refusal} The webhook was sent 301 s ago; 300 s are allowed. Check this machine's clock. A stored webhook cannot be verified later.`,
    ],
    [
      'it was sent in the future',
      { nowMs: NOW_MS - 12_000, toleranceSeconds: 11 },
      `${refusal} The webhook was sent 12 s from now; 11 s are allowed. Check this machine's clock. A stored webhook cannot be verified later.`,
    ],
    [
      'a secret is too short',
      { secret: 'whsec_AAAA' },
      'TypeError: The secret is invalid. Pass it exactly as the API returned it: whsec_ and base64.',
    ],
    [
      'a secret is not base64',
      { secret: 'whsec_?' },
      'TypeError: The secret is invalid. Pass it exactly as the API returned it: whsec_ and base64.',
    ],
    [
      'a secret is missing',
      { secret: undefined },
      'TypeError: The secret is invalid. Pass it exactly as the API returned it: whsec_ and base64.',
    ],
    ['no secret is passed', { secret: [] }, 'TypeError: The list of secrets is empty. Pass at least one.'],
  ] as const)('says how to fix it if %s', (_case, changed, message) => {
    expect(thrownBy(() => verify(changed as unknown as Partial<ReceivedWebhook>))).toBe(message);
  });

  it('says which value cannot be signed', () => {
    const sign = (changed: { id?: string; nowMs?: number }) => () =>
      signWebhook({ id: ID, payload: BODY, secret: SECRET, ...changed });
    expect(thrownBy(sign({ id: 'a.b' }))).toBe(
      'TypeError: The id of the webhook must be an id without spaces and full stops.',
    );
    expect(thrownBy(sign({ nowMs: 0 }))).toBe(
      'TypeError: The time of the webhook must be Unix time in whole seconds.',
    );
  });
});

it.each([
  [23, false],
  [24, true],
  [64, true],
  [65, false],
])('a secret of %p bytes is valid: %p', (length, isValid) => {
  const secret = `whsec_${Buffer.alloc(length, 7).toString('base64')}`;
  const sign = () => signWebhook({ id: ID, payload: BODY, secret, nowMs: NOW_MS });
  if (isValid) expect(sign()['webhook-id']).toBe(ID);
  else expect(sign).toThrow(TypeError);
});

it.each([
  ['999999999999', true],
  ['1000000000000', false],
])('the timestamp %s has a valid form: %p', (timestamp, isValid) => {
  const headers = { ...signed(), 'webhook-timestamp': timestamp };
  expect(codeOf({ headers })).toBe(isValid ? 'too_new' : 'malformed_header');
});

it.each(['\u0021', '+', '-', '/', '~'])(
  'an id may contain %s, but nothing around it that is not printable',
  (mark) => {
    const id = `a${mark}b`;
    const headers = signWebhook({ id, payload: BODY, secret: SECRET, nowMs: NOW_MS });
    expect(verify({ headers }).id).toBe(id);
    for (const invalid of [` ${id}`, `${id} `, `${id}.`, `.${id}`, `${id},`, `,${id}`, `\u007f${id}`])
      expect(codeOf({ headers: { ...headers, 'webhook-id': invalid } })).toBe('malformed_header');
  },
);

import { createHash } from 'node:crypto';
import { EVENT_TYPES, eventSampleText } from '@trading-automation/contracts';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createTestClient } from '../testing/index.js';
import * as functions from './index.js';
import { type EventData, WebhookVerificationError } from './index.js';

const secretOf = (label: string) => `whsec_${createHash('sha256').update(label).digest('base64')}`;
const SECRET = secretOf('a webhook');
const OTHER_SECRET = secretOf('another webhook');
const { client } = createTestClient();

/** Both implementations: the functions of ./index.ts, and the client's methods, which return promises. */
const VERIFIERS = [
  ['by the functions', functions],
  ['by a client', client.webhooks],
] as const;

/** Returns the headers with which the reference library signs a body. */
function signed(payload: string, { id = 'evt_1', secret = SECRET, at = new Date() } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, payload),
  };
}
const errorCodeOf = async (work: () => unknown) => {
  try {
    await work();
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : String(error);
  }
  return 'none';
};

/** Compiles only if EventData has exactly the event types of the contracts. */
const IS_EVENT_TYPE: Record<keyof EventData, true> & Record<(typeof EVENT_TYPES)[number], true> =
  Object.fromEntries(EVENT_TYPES.map((type) => [type, true])) as Record<(typeof EVENT_TYPES)[number], true>;

describe.each(VERIFIERS)('webhooks, handled %s', (_how, verifier) => {
  it.each(Object.keys(IS_EVENT_TYPE))(
    'return the event of type %s, which the standardwebhooks library signed',
    async (type) => {
      const payload = eventSampleText(type as keyof EventData);
      const event = await verifier.constructEvent(payload, signed(payload), SECRET);
      expect(event).toEqual(JSON.parse(payload));
      expect(event.type).toBe(type);
    },
  );

  it('return an event of an unknown type unchanged', async () => {
    const payload =
      '{"event_id":"evt_1","type":"trade.split","timestamp":"…","data":{"more":[1]},"also":true}';
    expect(await verifier.constructEvent(payload, signed(payload), SECRET)).toEqual(JSON.parse(payload));
  });

  it('are accepted as bytes, with Headers of fetch, and with one of several secrets', async () => {
    const payload = '{"event_id":"evt_1","data":{"text":"Zürich 😀"}}';
    const bytes = new TextEncoder().encode(payload);
    const headers = new Headers(signed(payload));
    const secrets = [OTHER_SECRET, SECRET];
    expect(await verifier.constructEvent(bytes, headers, secrets)).toEqual(JSON.parse(payload));
  });

  it('are rejected before parsing if the signature or a header is invalid', async () => {
    const payload = 'no JSON';
    const forged = { ...signed(payload), 'webhook-signature': 'v1,AAAA' };
    expect(await errorCodeOf(() => verifier.constructEvent(payload, forged, SECRET))).toBe(
      'signature_mismatch',
    );
    expect(await errorCodeOf(() => verifier.constructEvent(payload, signed(payload), OTHER_SECRET))).toBe(
      'signature_mismatch',
    );
    expect(await errorCodeOf(() => verifier.verify(payload, {}, SECRET))).toBe('malformed_header');
    expect(await errorCodeOf(() => verifier.verify(payload, signed(payload), SECRET))).toBe('none');
  });

  it('are rejected if they are older than `tolerance` seconds', async () => {
    const headers = signed('{}', { at: new Date(Date.now() - 200_000) });
    expect(await errorCodeOf(() => verifier.verify('{}', headers, SECRET))).toBe('none');
    expect(await errorCodeOf(() => verifier.verify('{}', headers, SECRET, { tolerance: 60 }))).toBe(
      'too_old',
    );
    const older = signed('{}', { at: new Date(Date.now() - 400_000) });
    expect(await errorCodeOf(() => verifier.verify('{}', older, SECRET))).toBe('too_old');
    expect(await errorCodeOf(() => verifier.verify('{}', older, SECRET, { tolerance: 3600 }))).toBe('none');
  });

  it('are signed by generateTestHeaders as by the standardwebhooks library, for any body, time and secret', async () => {
    const webhooks = fc.record({
      payload: fc.string({ unit: 'binary' }),
      key: fc.uint8Array({ minLength: 24, maxLength: 64 }),
      id: fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/),
      sentAt: fc.date({ min: new Date(1_000), max: new Date('2100-01-01'), noInvalidDate: true }),
    });
    await fc.assert(
      fc.asyncProperty(webhooks, async ({ payload, key, id, sentAt }) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const headers = await verifier.generateTestHeaders({ payload, secret, id, sentAt });
        expect(headers).toEqual(signed(payload, { id, secret, at: sentAt }));
      }),
    );
    const payload = '{"now":true}';
    const headers = await verifier.generateTestHeaders({ payload, secret: SECRET });
    expect(new Webhook(SECRET).verify(payload, headers)).toEqual({ now: true });
  });

  it('are signed by generateTestHeaders with the id of their event, or evt_test if they have none', async () => {
    const idOf = async (payload: string) =>
      (await verifier.generateTestHeaders({ payload, secret: SECRET }))['webhook-id'];
    expect(await idOf(eventSampleText('trade.filled'))).toBe(
      JSON.parse(eventSampleText('trade.filled')).event_id,
    );
    for (const payload of ['{}', 'null', '7', 'no JSON', '{"event_id":7}'])
      expect(await idOf(payload)).toBe('evt_test');
  });

  it('cause a TypeError if the secret is invalid or the body is already parsed', async () => {
    await expect((async () => verifier.verify('{}', signed('{}'), 'none'))()).rejects.toThrow(TypeError);
    const parsed = {} as unknown as string;
    await expect((async () => verifier.verify(parsed, signed('{}'), SECRET))()).rejects.toThrow('raw body');
  });
});

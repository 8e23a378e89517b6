import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signWebhook, verifyWebhook } from './webhooks.js';
import { signWebhook as signByWebCrypto, verifyWebhook as verifyByWebCrypto } from './webhooks-web-crypto.js';

const secretOf = (label: string) => `whsec_${createHash('sha256').update(label).digest('base64')}`;
const SECRET = secretOf('a webhook');
const OTHER = secretOf('another webhook');
const NOW_MS = 1_763_780_000_000;

const outcomeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return [(error as Error).name, (error as { code?: string }).code, (error as Error).message];
  }
};

describe('the Web Crypto variant', () => {
  it('signs like the synchronous variant, and the standardwebhooks library accepts the result', async () => {
    const sent = fc.record({
      id: fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/),
      payload: fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()),
      nowMs: fc.integer({ min: 1000, max: 4_000_000_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(sent, async (webhook) => {
        const headers = await signByWebCrypto({ ...webhook, secret: SECRET });
        expect(headers).toEqual(signWebhook({ ...webhook, secret: SECRET }));
      }),
    );
    const headers = await signByWebCrypto({ id: 'evt_1', payload: '{}', secret: SECRET });
    expect(new Webhook(SECRET).verify('{}', headers)).toEqual({});
  });

  it('returns or throws the same as the synchronous variant, for genuine and for forged webhooks', async () => {
    const cases = fc.record({
      payload: fc.constantFrom('{}', '{} ', new TextEncoder().encode('{}')),
      id: fc.constantFrom('evt_1', 'evt_2', '', 'a.b'),
      signature: fc.constantFrom('original', 'v1,AAAA', 'v1a,AAAA original', ''),
      secret: fc.constantFrom(SECRET, OTHER, [OTHER, SECRET], [OTHER], [], 'whsec_'),
      ageMs: fc.constantFrom(0, 300_000, 301_000, -301_000),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ payload, id, signature, secret, ageMs }) => {
        const signed = signWebhook({ id: 'evt_1', payload: '{}', secret: SECRET, nowMs: NOW_MS });
        const headers = {
          ...signed,
          'webhook-id': id,
          'webhook-signature': signature.replace('original', signed['webhook-signature']),
        };
        const received = { payload, headers, secret, nowMs: NOW_MS + ageMs };
        expect(await outcomeOf(() => verifyByWebCrypto(received))).toEqual(
          await outcomeOf(() => verifyWebhook(received)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('accepts genuine webhooks, also with the list of secrets of a rotation', async () => {
    const headers = signWebhook({ id: 'evt_1', payload: '{}', secret: SECRET, nowMs: NOW_MS });
    const received = { payload: '{}', headers, nowMs: NOW_MS };
    const verified = { id: 'evt_1', sentAt: new Date(NOW_MS) };
    await expect(verifyByWebCrypto({ ...received, secret: SECRET })).resolves.toEqual(verified);
    await expect(verifyByWebCrypto({ ...received, secret: [OTHER, SECRET] })).resolves.toEqual(verified);
    await expect(verifyByWebCrypto({ ...received, secret: OTHER })).rejects.toMatchObject({
      code: 'signature_mismatch',
    });
  });
});

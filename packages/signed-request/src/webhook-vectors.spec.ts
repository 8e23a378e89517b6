import { bodyOf, webhooks } from '../test/vectors.js';
import { type ReceivedWebhook, verifyWebhook, WebhookVerificationError } from './webhooks.js';
import { verifyWebhook as verifyByWebCrypto } from './webhooks-web-crypto.js';

const VERIFIERS = [
  { name: 'noble', verify: async (received: ReceivedWebhook) => verifyWebhook(received) },
  { name: 'Web Crypto', verify: verifyByWebCrypto },
];

describe('the webhook vectors', () => {
  it('cover every refusal code and have unique names', () => {
    const expected = ['accepted', 'malformed_header', 'too_old', 'too_new', 'signature_mismatch'];
    expect(new Set(webhooks.vectors.map((vector) => vector.expected))).toEqual(new Set(expected));
    const names = webhooks.vectors.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(VERIFIERS)('verifyWebhook with $name', ({ verify }) => {
  it.each(webhooks.vectors)('vector "$name": $expected', async (vector) => {
    const verdict = verify({
      payload: bodyOf(vector),
      headers: vector.headers,
      secret: vector.secret,
      nowMs: webhooks.now_seconds * 1000,
      toleranceSeconds: webhooks.tolerance_seconds,
    });
    if (vector.expected === 'accepted') {
      expect((await verdict).id).toBe(vector.headers['webhook-id']);
    } else {
      const refusal = await verdict.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(WebhookVerificationError);
      expect((refusal as WebhookVerificationError).code).toBe(vector.expected);
    }
  });
});

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signatureOf } from './signature.js';

const secret = createHash('sha256').update('a webhook secret').digest();
const now = () => Math.floor(Date.now() / 1000);
const verifier = new Webhook(`whsec_${secret.toString('base64')}`);

describe('the signature of an event', () => {
  it('equals the signature of the standardwebhooks library, for any id and any body', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^evt_[0-9a-z]{26}$/), fc.string({ unit: 'binary' }), (id, body) => {
        const seconds = now();
        expect(signatureOf(secret, id, seconds, Buffer.from(body))).toBe(
          verifier.sign(id, new Date(seconds * 1000), Buffer.from(body).toString()),
        );
      }),
    );
  });

  it('W1: is valid for the library, and invalid if any bit of id, timestamp, body or signature changes', () => {
    const id = 'evt_01h455vb4pex5vsknk084sn02q';
    const body = '{"event_id":"evt_01h455vb4pex5vsknk084sn02q","data":{"text":"Zürich \u2028"}}';
    const seconds = String(now());
    const signature = signatureOf(secret, id, Number(seconds), Buffer.from(body));
    const verify = (parts: { id?: string; seconds?: string; body?: string; signature?: string }) =>
      verifier.verify(parts.body ?? body, {
        'webhook-id': parts.id ?? id,
        'webhook-timestamp': parts.seconds ?? seconds,
        'webhook-signature': parts.signature ?? signature,
      });
    expect(verify({})).toEqual(JSON.parse(body));
    for (const [name, text] of Object.entries({ id, seconds, body, signature })) {
      const flipped = withOneBitFlipped(text);
      expect(flipped.length).toBe(Buffer.byteLength(text) * 8);
      for (const changed of flipped) expect(() => verify({ [name]: changed })).toThrow();
    }
  });

  it.each([
    [-301, 'too new'],
    [301, 'too old'],
  ])('W2: is rejected at an age of %i s as %s, but accepted 1 s closer to now', (ageSeconds, reason) => {
    const signedAt = now();
    const signature = signatureOf(secret, 'evt_1', signedAt, Buffer.from('{}'));
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(signedAt),
      'webhook-signature': signature,
    };
    const verifyAt = (seconds: number) => withClockAt(seconds, () => verifier.verify('{}', headers));
    expect(verifyAt(signedAt)).toEqual({});
    expect(verifyAt(signedAt + ageSeconds - Math.sign(ageSeconds))).toEqual({});
    expect(() => verifyAt(signedAt + ageSeconds)).toThrow(reason);
  });
});

/** Returns every string whose bytes differ from those of `text` in one bit. Invalid UTF-8 is replaced. */
function withOneBitFlipped(text: string): string[] {
  const bytes = Buffer.from(text);
  return [...bytes].flatMap((byte, index) =>
    Array.from({ length: 8 }, (_, bit) => {
      const flipped = Buffer.from(bytes);
      flipped[index] = byte ^ (1 << bit);
      return flipped.toString();
    }),
  );
}

/** Runs `work` while `Date.now`, which the library uses, is set to `seconds` of Unix time. */
function withClockAt<T>(seconds: number, work: () => T): T {
  const { now: clock } = Date;
  Date.now = () => seconds * 1000;
  try {
    return work();
  } finally {
    Date.now = clock;
  }
}

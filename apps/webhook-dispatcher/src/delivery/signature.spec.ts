import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signatureOf } from './signature.js';

const secret = createHash('sha256').update('a webhook secret').digest();
const now = () => Math.floor(Date.now() / 1000);
const judge = new Webhook(`whsec_${secret.toString('base64')}`);

describe('the signature of an event', () => {
  it('is the one that the standardwebhooks library makes, for any id and any body', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^evt_[0-9a-z]{26}$/), fc.string({ unit: 'binary' }), (id, body) => {
        const seconds = now();
        expect(signatureOf(secret, id, seconds, Buffer.from(body))).toBe(
          judge.sign(id, new Date(seconds * 1000), Buffer.from(body).toString()),
        );
      }),
    );
  });

  it('verifies there, and no longer with any byte of id, time or body altered', () => {
    const body = '{"event_id":"evt_1"}';
    const seconds = now();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatureOf(secret, 'evt_1', seconds, Buffer.from(body)),
    };
    expect(judge.verify(body, headers)).toEqual({ event_id: 'evt_1' });
    expect(() => judge.verify(`${body} `, headers)).toThrow();
    expect(() => judge.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    expect(() => judge.verify(body, { ...headers, 'webhook-timestamp': String(seconds - 1) })).toThrow();
  });
});

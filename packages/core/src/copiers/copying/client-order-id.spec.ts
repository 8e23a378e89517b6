/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import fc from 'fast-check';
import { type CopyIdentity, clientOrderIdOf } from './client-order-id.js';

const identities: fc.Arbitrary<CopyIdentity> = fc.record({
  copierId: fc.uuid(),
  lotTradeId: fc.uuid(),
  sequence: fc.integer({ min: 1, max: 1_000_000 }),
  intent: fc.constantFrom('OPEN', 'INCREASE', 'REDUCE', 'CLOSE'),
  attempt: fc.integer({ min: 1, max: 1_000 }),
});

describe('rule 19: the client order id of a copy', () => {
  it('has 32 characters of base32, and depends only on the identity of the copy', () => {
    fc.assert(
      fc.property(identities, (identity) => {
        expect(clientOrderIdOf(identity)).toMatch(/^[a-z2-7]{32}$/);
        expect(clientOrderIdOf({ ...identity })).toBe(clientOrderIdOf(identity));
      }),
    );
  });

  it('differs if copier, lot, sequence, intent or attempt differs', () => {
    fc.assert(
      fc.property(identities, identities, (one, other) => {
        for (const field of Object.keys(one) as (keyof CopyIdentity)[]) {
          if (one[field] === other[field]) continue;
          expect(clientOrderIdOf({ ...one, [field]: other[field] })).not.toBe(clientOrderIdOf(one));
        }
      }),
    );
  });
});

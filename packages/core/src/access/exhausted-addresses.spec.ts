import { ExhaustedAddresses } from './exhausted-addresses.js';
import { rateLimitsSchema, ratePolicySets } from './rate-limits.js';

const [policy] = ratePolicySets(rateLimitsSchema.parse({ general: { requests: 1, seconds: 3_600 } })).general
  .policies;

describe('the addresses whose bucket is empty', () => {
  it('are remembered until the bucket has a token', () => {
    const addresses = new ExhaustedAddresses();
    addresses.record('192.0.2.1', policy!, policy!.capacityUs);
    addresses.record('192.0.2.2', policy!, 0);
    expect(addresses.untilFullUs('192.0.2.1', policy!)).toBeGreaterThan(0);
    expect(addresses.untilFullUs('192.0.2.2', policy!)).toBeNull();
  });

  it('are forgotten once they are as many as the maximum', () => {
    const addresses = new ExhaustedAddresses(2);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
      addresses.record(address, policy!, policy!.capacityUs);
    expect(addresses.untilFullUs('192.0.2.1', policy!)).toBeNull();
    expect(addresses.untilFullUs('192.0.2.2', policy!)).toBeNull();
    expect(addresses.untilFullUs('192.0.2.3', policy!)).toBeGreaterThan(0);
  });
});

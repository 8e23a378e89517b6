import { OPERATIONS, RATE_BUCKETS } from '@trading-automation/contracts';
import { rateLimitsSchema, ratePolicySets } from './rate-limits.js';

const sets = ratePolicySets(rateLimitsSchema.parse({}));
const GENERAL = [
  ['general', 'credential', 600],
  ['general_user', 'user', 1_800],
];

describe('the limits of a caller', () => {
  it.each([
    ['trade_writes', ['trade_writes', 'credential', 20], ['trade_writes_user', 'user', 60]],
    ['sensitive_writes', ['sensitive_writes', 'credential', 10], ['sensitive_writes_user', 'user', 30]],
    ['identity_writes', ['identity_writes', 'address', 60]],
    ['simulations', ['simulations', 'user', 6]],
    ['exchange_tests', ['exchange_tests', 'user', 6]],
    ['webhook_tests', ['webhook_tests', 'user', 6]],
  ] as const)('in the bucket %s count for its credential, its user or its address', (bucket, ...own) => {
    const { policies } = sets.ofCaller(bucket);
    expect(policies.map(({ name, scope, requests }) => [name, scope, requests])).toEqual([
      ...GENERAL,
      ...own,
    ]);
  });

  it('without a bucket count for its credential and its user', () => {
    const { policies } = sets.ofCaller(undefined);
    expect(policies.map(({ name, scope, requests }) => [name, scope, requests])).toEqual(GENERAL);
  });
});

describe('the buckets', () => {
  const operationsIn = (bucket: string) =>
    OPERATIONS.filter((operation) => operation.bucket === bucket).map(({ id }) => id);

  it('contain the operations that cost much, move money or change credentials', () => {
    expect(Object.fromEntries(RATE_BUCKETS.map((bucket) => [bucket, operationsIn(bucket)]))).toEqual({
      trade_writes: ['trades.create', 'trades.cancel', 'lots.close', 'positions.setLeverage'],
      sensitive_writes: [
        'apiKeys.create',
        'apiKeys.revoke',
        'apiKeys.rotate',
        'publicKeys.revoke',
        'deviceAuthorizations.approve',
        'browserSessions.create',
        'withdrawals.create',
        'withdrawals.cancel',
        'withdrawalAddresses.create',
        'withdrawalAddresses.delete',
      ],
      identity_writes: ['auth.cliIdentity', 'deviceAuthorizations.create'],
      simulations: ['copiers.simulate'],
      exchange_tests: ['exchanges.test'],
      webhook_tests: ['webhooks.test'],
    });
  });
});

it('a configured limit that does not exist is rejected with the names of the limits', () => {
  const { error } = rateLimitsSchema.safeParse({ simulation: { requests: 1, seconds: 1 } });
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'there is no such limit; the limits are general, trade_writes, sensitive_writes, identity_writes, simulations, exchange_tests, webhook_tests',
  ]);
});

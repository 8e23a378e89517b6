import {
  accountsWithinShares,
  idleAccounts,
  reconnectionMinutes,
  tariffFigures,
  weightsOfDay,
} from './tariff-figures.mjs';

const call = (purpose, weight, accountWeight = 0) => ({ purpose, weight, accountWeight });
const shares = {
  resume: { group: 'repairs', share: 0.3 },
  check: { group: 'background', share: 0.5 },
  rotation: { group: 'background', share: 0.25 },
};
const spot = {
  shares,
  venue: 'some',
  tradingType: 'spot',
  limits: { weightPerMinute: 6_000 },
  idle: {
    connection: [call('resume', 2), call('rotation', 20)],
    rotation: [call('rotation', 20)],
    rights: [],
    funding: [],
  },
};
const perpetual = {
  ...spot,
  tradingType: 'perpetual',
  keepAlive: { everyMs: 3_600_000, calls: [call('resume', 1)] },
  holding: {
    rotation: [call('rotation', 10, 4), call('rotation', 5, 2)],
    funding: [call('rotation', 30)],
    margin: [call('check', 5), call('check', 5)],
  },
};

it('an account costs a connection and a rotation every 3.5 h, as the measured paper exchange', () => {
  const weights = weightsOfDay(spot);
  expect(weights.resume).toBe(2);
  expect(weights.rotation).toBeCloseTo(20 + (20 * 24) / 3.5);
  expect((weights.resume + weights.rotation) / 1_440).toBeCloseTo(0.1105, 4);
});

it('calls that keep a stream alive and reads of rights count as often as they are made', () => {
  const idle = { ...spot.idle, rights: [call('rotation', 7)] };
  const weights = weightsOfDay({ ...perpetual, idle });
  expect(weights.resume).toBe(2 + 24);
  expect(weights.rotation - weightsOfDay(spot).rotation).toBeCloseTo(7);
});

it('an account with a position also costs its funding three times a day and its margin every 15 min', () => {
  const weights = weightsOfDay(perpetual, true);
  expect(weights.check).toBe(10 * 96);
  expect(weights.rotation).toBeCloseTo(15 + (15 * 24) / 3.5 + 3 * 30);
  expect(weights.resume).toBe(2 + 24);
});

it('an address carries as many accounts as the narrowest share of the limit allows', () => {
  expect(accountsWithinShares({ rotation: 1_440 }, 100, shares)).toBe(25);
  expect(accountsWithinShares({ check: 1_440 }, 100, shares)).toBe(50);
  expect(accountsWithinShares({ rotation: 144, resume: 14_400 }, 100, shares)).toBe(3);
  // Both are counted together, and the rotation ends at the lower share.
  expect(accountsWithinShares({ rotation: 144, check: 1_296 }, 100, shares)).toBe(25);
});

it('idle accounts are limited by a share, by the total, or by the reconnection of all in 4 h', () => {
  // 0.25 of the limit, and 157.14 a day.
  expect(idleAccounts(spot)).toEqual({ limitedBy: 'shares', accounts: 13_745 });
  const withCalls = (connection) => idleAccounts({ ...spot, idle: { ...spot.idle, connection } });
  expect(withCalls([call('resume', 100)])).toEqual({ limitedBy: 'reconnection', accounts: 4_320 });
  const rotation = [call('rotation', 5)];
  const keepAlive = { everyMs: 3_600_000, calls: [call('resume', 1)] };
  expect(idleAccounts({ ...spot, keepAlive, idle: { ...spot.idle, rotation, connection: [] } })).toEqual({
    limitedBy: 'total',
    accounts: 44_470,
  });
});

it('a reconnection takes as long as the shares of connections and of the rotation need', () => {
  expect(reconnectionMinutes(spot.idle.connection, 900, 6_000, shares)).toEqual({
    connected: 1,
    compared: 12,
  });
});

it('the figures contain the part of the account limit that the largest run uses', () => {
  const limits = { weightPerMinute: 6_000, accountLimit: { weight: 15, windowMs: 45_000 } };
  const figures = tariffFigures({ ...perpetual, limits });
  expect(figures.ofAccountLimit).toBeCloseTo(0.4);
  expect(figures.share).toBeLessThanOrEqual(0.3);
  expect(figures.holding.accounts).toBeLessThan(figures.accounts);
  expect(tariffFigures(spot)).toMatchObject({ ofAccountLimit: undefined, holding: undefined });
});

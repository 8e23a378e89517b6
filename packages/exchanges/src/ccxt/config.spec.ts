import { declarationOf, VENUE_IDS } from '../venues/index.js';
import { limitsByBudget, venueConfig, venuesSetting } from './config.js';
import { createVenue } from './venue.js';

const paper = { id: 'paper', name: 'Paper', adapter: 'binance', tradingTypes: ['spot'] };

function problemsOf(text: string): string[] {
  const parsed = venuesSetting.safeParse(text);
  return (parsed.error?.issues ?? []).map(({ message }) => message);
}

describe('the venues of a deployment', () => {
  it('are parsed from JSON, with a default time limit', () => {
    const other = { ...paper, id: 'other', url: 'https://exchange.example:8443', timeoutMs: 500 };
    expect(venuesSetting.parse(JSON.stringify([paper, other]))).toEqual([
      { ...paper, timeoutMs: 10_000 },
      other,
    ]);
  });

  it.each([
    ['text that is not JSON', 'paper', 'expected a JSON array of venues'],
    ['JSON that is not an array', '{}', 'expected a JSON array of venues'],
    ['an empty array', '[]', 'name at least one venue'],
    ['a repeated id', JSON.stringify([paper, paper]), 'two venues have the same id'],
    [
      'an invalid id',
      JSON.stringify([{ ...paper, id: 'My Venue' }]),
      '0.id: expected 1 to 32 of a-z, 0-9 and -',
    ],
    [
      'an unknown adapter',
      JSON.stringify([{ ...paper, adapter: 'nowhere' }]),
      '0.adapter: expected one of binance',
    ],
    [
      'a trading type that the adapter lacks',
      JSON.stringify([{ ...paper, adapter: 'coinbase', tradingTypes: ['perpetual'] }]),
      '0.tradingTypes: perpetual is not available',
    ],
    [
      'a repeated trading type',
      JSON.stringify([{ ...paper, tradingTypes: ['spot', 'spot'] }]),
      '0.tradingTypes: names a trading type twice',
    ],
    ['an unknown field', JSON.stringify([{ ...paper, apiKey: 'x' }]), '0: Unrecognized key'],
  ])('are rejected with a message that says what is wrong: %s', (_what, text, reason) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(reason)]);
  });

  it('may name the local addresses from which they are called, each once', () => {
    const egress = ['10.0.0.1', 'fd00::1'];
    expect(venuesSetting.parse(JSON.stringify([{ ...paper, egress }]))).toMatchObject([{ egress }]);
    const problems = (addresses: unknown) => problemsOf(JSON.stringify([{ ...paper, egress: addresses }]));
    expect(problems(['proxy.example'])).toEqual(['0.egress.0: expected a local IP address']);
    expect(problems(['10.0.0.1', '10.0.0.1'])).toEqual(['0.egress: names an address twice']);
    expect(problems([])).toEqual(['0.egress: name at least one address, or omit the field']);
  });

  it.each([
    'ftp://exchange',
    'https://exchange/api',
    'https://me:secret@exchange',
    'https://exchange?x=1',
    'exchange',
  ])('reject the URL %s, which is not an http or https origin', (url) => {
    const problems = problemsOf(JSON.stringify([{ ...paper, url }]));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^0\.url: expected/);
    expect(problems[0]).not.toContain('secret');
  });

  it('have the limits that the exchange publishes, or those of the deployment', () => {
    const kraken = { id: 'kraken', name: 'Kraken', adapter: 'kraken', tradingTypes: ['spot'] };
    const limitsOf = (limits?: object) =>
      Object.fromEntries(limitsByBudget(venueConfig.parse({ ...kraken, limits })));
    const published = {
      weightPerMinute: 1_200,
      ordersPer10s: 50,
      accountLimit: { weight: 15, windowMs: 45_000 },
    };
    expect(limitsOf()).toEqual({ 'kraken/spot': published });
    expect(limitsOf({ accountWeight: 20 })).toEqual({
      'kraken/spot': { ...published, accountLimit: { weight: 20, windowMs: 45_000 } },
    });
    expect(limitsByBudget(venueConfig.parse(paper)).get('paper')?.accountLimit).toBeUndefined();
  });

  it('declare windows of whole seconds, and of at least 6 s', () => {
    for (const id of VENUE_IDS)
      for (const { rateLimits } of Object.values(declarationOf(id)?.tradingTypes ?? {})) {
        const { windowMs = 6_000 } = rateLimits.account ?? {};
        expect([id, windowMs >= 6_000, windowMs % 1_000]).toEqual([id, true, 0]);
      }
  });

  it('can use every adapter with each of its trading types', () => {
    for (const adapter of VENUE_IDS)
      expect(
        venueConfig.safeParse({
          ...paper,
          adapter,
          tradingTypes: Object.keys(declarationOf(adapter)?.tradingTypes ?? {}),
        }).success,
      ).toBe(true);
  });

  it('are offered at the exchange of their folder, or as a paper exchange at any URL', () => {
    const isOffered = (id: string, url?: string) =>
      createVenue(venueConfig.parse({ id, name: id, adapter: 'binance', tradingTypes: ['spot'], url }))
        .isCertified;
    const url = 'http://127.0.0.1:9';
    expect([isOffered('binance'), isOffered('paper', url)]).toEqual([true, true]);
    expect([isOffered('paper'), isOffered('binance', url), isOffered('other')]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import type { BudgetedCall } from '../../call-budget.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import type { NonceSource } from '../../ccxt/nonces.js';
import type { ExchangeVenue } from '../../port.js';
import { dialect } from './dialect/dialect.js';

/** A nonce source that returns every other nonce late, so that the next request would overtake. */
function unevenNonces(): NonceSource {
  let last = 0;
  return {
    next: async () => {
      const nonce = ++last;
      if (nonce % 2 === 1) await sleep(20);
      return nonce;
    },
  };
}

/** The spot account of a key, whose calls wait for `budget`. */
function connect(server: ScriptedServer, budget: (call: BudgetedCall) => Promise<void>) {
  const config = { id: 'kraken', name: 'Kraken', adapter: 'kraken', tradingTypes: ['spot'], url: server.url };
  const venue = createVenue(venueConfig.parse(config), {
    budget: { take: budget, pause: () => undefined },
    nonces: unevenNonces(),
  });
  const credentials = server.exchange.openAccount({ USD: 100_000 });
  return { venue, account: venue.connect(credentials, 'spot') };
}

describe('rising nonces of a key', () => {
  let server: ScriptedServer;
  let venue: ExchangeVenue | undefined;

  beforeEach(async () => {
    server = await ScriptedServer.start(
      dialect,
      readRecordings(new URL('dialect/recordings.json', import.meta.url)),
      'spot',
    );
  });

  afterEach(async () => {
    await venue?.close();
    await server.close();
    expect(server.problems).toEqual([]);
  });

  it('[EX-NONCE-01] are accepted, however many calls begin at once', async () => {
    const opened = connect(server, async () => undefined);
    venue = opened.venue;
    const reads = await Promise.all(Array.from({ length: 10 }, () => opened.account.fetchBalances()));
    expect(reads).toHaveLength(10);
  });

  it('[EX-NONCE-02] let a call pass a read of the same key that waits for the call budget', async () => {
    let admit!: () => void;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    const ended: string[] = [];
    const opened = connect(server, ({ purpose, accountKey }) =>
      accountKey !== undefined && purpose === 'repair' ? admitted : Promise.resolve(),
    );
    venue = opened.venue;
    await venue.fetchMarkets();
    const read = opened.account
      .as('repair')
      .fetchBalances()
      .then(
        () => ended.push('read'),
        () => ended.push('failed read'),
      );
    expect(await opened.account.as('user').fetchOpenOrders()).toEqual([]);
    ended.push('listing');
    admit();
    await read;
    expect(ended).toEqual(['listing', 'read']);
  });
});

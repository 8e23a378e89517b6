/** Tests slow readers: their memory cost, and the messages that they get when they catch up. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Level } from '@trading-automation/core/market-data';
import { eventually } from '@trading-automation/runtime/testing';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { openAccount } from '../../../rest-api/test/test-rest-api.js';
import { startTestGraphqlApi } from '../test-graphql-api.js';
import { applyUpdates, BOOK_FIELDS, type BookUpdate, PublishedBook } from './published-book.js';
import { clientOf, RawClient, TestSubscription } from './socket-clients.js';

let environment: TestEnvironment;
let book: PublishedBook;
beforeAll(async () => {
  environment = await TestEnvironment.open();
});
afterAll(() => environment.close());
beforeEach(async () => {
  book = await PublishedBook.open(environment);
});
afterEach(() => book.close());

const QUERY = `subscription ($pair: ID!) { orderbookUpdate(tradePairId: $pair, depth: 500) { ${BOOK_FIELDS} } }`;
/** Returns five hundred levels, about 15 KB. Every amount differs from that of every other round. */
const levels = (round: number): Level[] =>
  Array.from({ length: 500 }, (_, i) => [String(60_000 - i), `1.${round}0000000001`]);

async function openReaders(api: { readonly port: number }, count: number): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  while (clients.length < count) {
    const holder = await openAccount(environment.api);
    for (let i = 0; i < 5 && clients.length < count; i++) {
      const client = await RawClient.join(api, holder);
      client.subscribe('1', QUERY, { pair: book.pairId });
      clients.push(client);
    }
  }
  await Promise.all(clients.map((client) => client.until(() => client.payloadsOf('1').length > 0)));
  return clients;
}

it('a client that reads nothing while messages wait is closed with 4410; a reading client is not', async () => {
  const api = await startTestGraphqlApi(environment.api.databaseUrl, {}, { stallMs: 100, lingerMs: 60_000 });
  try {
    await book.reset(levels(0));
    const [paused, lively] = (await openReaders(api, 2)) as [RawClient, RawClient];
    paused.pause();
    // Most of these messages are published after the kernel buffers of both ends are full.
    for (let round = 1; round <= 1_000; round++) await book.change(levels(round));
    expect(lively.socket.readyState).toBe(lively.socket.OPEN);
    paused.resume();
    expect(await paused.closed).toEqual({ code: 4410, reason: 'Too slow' });
    lively.cut();
  } finally {
    await api.close();
  }
});

it('a client that resumes reading in time gets a snapshot instead of the missed updates, then deltas', async () => {
  const api = await startTestGraphqlApi(environment.api.databaseUrl, {}, { stallMs: 600_000 });
  try {
    await book.reset(levels(0));
    const [slow, lively] = (await openReaders(api, 2)) as [RawClient, RawClient];
    slow.pause();
    const rounds = 1_000;
    for (let round = 1; round <= rounds; round++) await book.change(levels(round));
    slow.resume();
    await book.change([['60000', '7']]);
    await book.change([['60001', '8']]);
    const updates = (client: RawClient): BookUpdate[] =>
      client.payloadsOf('1').map(({ data }) => data.orderbookUpdate);
    const isAtEnd = (client: RawClient) => () =>
      updates(client).some(({ bids }) => bids[0]?.[0] === '60001' && bids[0][1] === '8');
    await Promise.all([slow.until(isAtEnd(slow)), lively.until(isAtEnd(lively))]);
    await book.change([['60001', '9']]);
    await slow.until(() => updates(slow).at(-1)!.bids[0]?.[1] === '9');
    expect(updates(slow).length).toBeLessThan(rounds);
    expect(
      updates(slow)
        .slice(1)
        .some(({ kind }) => kind === 'SNAPSHOT'),
    ).toBe(true);
    expect(updates(slow).at(-1)).toMatchObject({ kind: 'DELTA', bids: [['60001', '9']] });
    expect(applyUpdates(updates(slow)).bids).toEqual(book.bids.slice(0, 500));
    for (const client of [slow, lively]) client.cut();
  } finally {
    await api.close();
  }
});

it('a hundred stalled clients of a changing book cost at most 50 MB', async () => {
  const api = await startTestGraphqlApi(
    environment.api.databaseUrl,
    {},
    { stallMs: 600_000, pingMs: 600_000 },
  );
  try {
    await book.reset(levels(0));
    const lively = new TestSubscription(
      clientOf(api, await openAccount(environment.api)),
      'orderbookUpdate',
      QUERY,
      {
        pair: book.pairId,
      },
    );
    await lively.waitForCount(1);
    for (let round = 0; round < 200; round++) await book.change(levels(round));
    const all = await openReaders(api, 100);
    for (const client of all) client.pause();
    const before = residentBytes();
    for (let round = 1_000; round < 1_800; round++) {
      await book.change(levels(round));
      if (round % 100 === 0) for (const list of [lively.received, lively.results]) list.length = 0;
    }
    expect(residentBytes() - before).toBeLessThan(50 * 2 ** 20);
    for (const client of all) client.cut();
    lively.stop();
    await eventually(async () => (await book.listeners()) === 0);
  } finally {
    await api.close();
  }
}, 180_000);

it('the server stops reading from a client that sends pings without reading the responses', async () => {
  const api = await startTestGraphqlApi(environment.api.databaseUrl, {}, { stallMs: 600_000 });
  try {
    const raw = await RawClient.join(api, await openAccount(environment.api));
    raw.pause();
    const before = residentBytes();
    const ping = JSON.stringify({ type: 'ping', payload: { a: 'a'.repeat(60_000) } });
    let sent = 0;
    // The client's own buffer fills up as soon as the server stops reading.
    while (raw.socket.bufferedAmount < 2 ** 20 && sent < 10_000) {
      raw.socket.send(ping);
      sent++;
      if (sent % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(sent).toBeLessThan(10_000);
    expect(residentBytes() - before).toBeLessThan(50 * 2 ** 20);
    // The server reads from the client again once the client reads.
    raw.resume();
    await raw.until(() => raw.messages.filter(({ type }) => type === 'pong').length === sent);
    raw.cut();
  } finally {
    await api.close();
  }
});

/** Returns the memory of the process after garbage collection. */
function residentBytes(): number {
  setFlagsFromString('--expose_gc');
  const collect: () => void = runInNewContext('gc');
  for (let i = 0; i < 3; i++) collect();
  return process.memoryUsage().rss;
}

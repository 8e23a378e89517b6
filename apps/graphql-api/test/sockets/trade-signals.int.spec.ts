/** Tests signals of strategies: who may subscribe, and delivery exactly once across disconnects. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendSignals } from '@trading-automation/core/strategies';
import { eventually } from '@trading-automation/runtime/testing';
import type { Client } from 'graphql-ws';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { TestUser } from '../../../rest-api/test/proofs/test-user.js';
import type { TestGraphqlApi } from '../test-graphql-api.js';
import { clientOf, RawClient, startApiPair, TestSubscription, urlOf } from './socket-clients.js';

let environment: TestEnvironment;
let apis: readonly [TestGraphqlApi, TestGraphqlApi];
let leader: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  apis = await startApiPair(environment.api.databaseUrl);
  [leader, stranger] = [await TestUser.create(environment), await TestUser.create(environment)];
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  await eventually(async () => (await leases()) === 0);
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api.close()));
  await environment.close();
});

const clients: Client[] = [];
const leases = async () =>
  (await environment.rows("SELECT FROM event_streams WHERE kind = 'sockets'")).length;
function connect(person: TestUser, api = apis[0]): Client {
  const client = clientOf(api, person.keyPair);
  clients.push(client);
  return client;
}

interface Signal {
  readonly sequence: number;
}

const QUERY = `subscription ($strategy: ID!, $seen: Long) {
  tradeSignal(strategyId: $strategy, afterSequence: $seen) { id sequence strategyId kind symbol filledAmount }
}`;
const listen = (client: Client, strategy: string, seen?: number) =>
  new TestSubscription<Signal>(client, 'tradeSignal', QUERY, {
    strategy,
    ...(seen === undefined ? {} : { seen }),
  });
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const sequencesOf = (signals: readonly Signal[]) => signals.map(({ sequence }) => sequence);

/** A strategy of the leader, and the trade to which all of its signals refer. */
class SignalingStrategy {
  /** The number of emitted signals. */
  emittedCount = 0;

  private constructor(
    readonly id: string,
    private readonly accountId: string,
    private readonly tradeId: string,
  ) {}

  static async open(visibility: 'PRIVATE' | 'PUBLIC' = 'PRIVATE'): Promise<SignalingStrategy> {
    const account = await leader.account();
    const body = { name: 'momentum', exchange_account_id: account, visibility };
    const { id } = await leader.requireData('POST', '/v1/strategies', body);
    return new SignalingStrategy(
      id,
      environment.uuidOf(account),
      environment.uuidOf(await leader.trade(account)),
    );
  }

  async emitSignals(count = 1): Promise<void> {
    const signal = () => ({
      strategyId: environment.uuidOf(this.id),
      kind: 'OPEN' as const,
      side: 'BUY' as const,
      exchangeAccountId: this.accountId,
      tradePairId: environment.uuidOf(environment.pairId),
      symbol: 'BTC/USDT',
      tradingType: 'spot' as const,
      lotTradeId: this.tradeId,
      lotFirstSequence: null,
      lotOpenedAt: new Date(),
      lotOrderAmount: '1',
      sourceTradeId: this.tradeId,
      sourceFillId: randomUUID(),
      filledAmount: '1',
      cumulativeAmount: '1',
      lotAmountBefore: '0',
      lotAmountAfter: '1',
      exitAmount: '0',
      referencePrice: '60000',
      leaderEquity: null,
      signalAt: new Date(),
    });
    const signals = Array.from({ length: count }, signal);
    await environment.backend.platform.database.transaction((tx) => appendSignals(tx, signals));
    this.emittedCount += count;
  }
}

describe('signals of a strategy', () => {
  it('are sent to its owner and, if public, to every user, in every process', async () => {
    const [privateStrategy, publicStrategy] = [
      await SignalingStrategy.open(),
      await SignalingStrategy.open('PUBLIC'),
    ];
    const subscriptions = [
      listen(connect(leader), privateStrategy.id, 0),
      listen(connect(stranger), publicStrategy.id, 0),
      listen(connect(stranger, apis[1]), publicStrategy.id, 0),
    ];
    await privateStrategy.emitSignals();
    await publicStrategy.emitSignals();
    for (const [i, each] of subscriptions.entries())
      expect(await each.waitForCount(1)).toMatchObject([
        {
          sequence: 1,
          strategyId: i === 0 ? privateStrategy.id : publicStrategy.id,
          kind: 'OPEN',
          // Amounts are private to the owner, who only subscribes to the private strategy.
          filledAmount: i === 0 ? '1' : null,
        },
      ]);
  });

  it('are not sent to other users, whose error equals that of an unknown strategy', async () => {
    const privateStrategy = await SignalingStrategy.open();
    const client = connect(stranger);
    const errorsOf = async (id: string) => {
      const subscription = listen(client, id);
      expect(await subscription.outcome()).toBe('complete');
      const { errors } = subscription.results[0] as unknown as {
        errors: { extensions: { request_id?: string } }[];
      };
      for (const { extensions } of errors) delete extensions.request_id;
      return errors;
    };
    const absent = await errorsOf(privateStrategy.id.replace(/^(.*)....$/, '$10000'));
    expect(absent).toMatchObject([{ path: ['tradeSignal'], extensions: { code: 'not_found' } }]);
    expect(await errorsOf(privateStrategy.id)).toEqual(absent);
  });

  it('start with the next signal, or after any past signal', async () => {
    const source = await SignalingStrategy.open();
    await source.emitSignals(5);
    const client = connect(leader);
    const resumed = upTo(5, 0).map((seen) => listen(client, source.id, seen));
    for (const [seen, each] of resumed.slice(0, 5).entries()) await each.waitForCount(5 - seen);
    const fromNow = await subscribeFromNow(source);
    await source.emitSignals(2);
    for (const [seen, each] of resumed.entries())
      expect(sequencesOf(await each.waitForCount(source.emittedCount - seen))).toEqual(
        upTo(source.emittedCount, seen + 1),
      );
    const [first] = await fromNow.waitForCount(1);
    expect(first!.sequence).toBeGreaterThan(5);
    expect(sequencesOf(fromNow.received)).toEqual(upTo(fromNow.received.at(-1)!.sequence, first!.sequence));
  });

  it('after an unknown signal are rejected', async () => {
    const source = await SignalingStrategy.open();
    for (const seen of [1, -1]) {
      const subscription = listen(connect(leader), source.id, seen);
      expect(await subscription.outcome()).toBe('complete');
      expect(subscription.results[0]?.errors).toMatchObject([{ extensions: { code: 'invalid_query' } }]);
    }
  });

  it('end with an error for other users once the strategy is private', async () => {
    const source = await SignalingStrategy.open('PUBLIC');
    const [ofOwner, ofStranger] = [
      listen(connect(leader), source.id, 0),
      listen(connect(stranger), source.id, 0),
    ];
    await source.emitSignals();
    await Promise.all([ofOwner.waitForCount(1), ofStranger.waitForCount(1)]);
    await leader.requireData('PATCH', `/v1/strategies/${source.id}`, { visibility: 'PRIVATE' });
    await source.emitSignals();
    expect(await ofStranger.outcome()).toMatchObject([{ extensions: { code: 'not_found' } }]);
    expect(ofStranger.received).toHaveLength(1);
    expect(sequencesOf(await ofOwner.waitForCount(2))).toEqual([1, 2]);
  });
});

/** Subscribes from now on. Returns once the subscription has received a signal, so it is open. */
async function subscribeFromNow(source: SignalingStrategy): Promise<TestSubscription<Signal>> {
  const subscription = listen(connect(leader), source.id);
  while (subscription.received.length === 0) {
    await source.emitSignals();
    await sleep(20);
  }
  return subscription;
}

describe('a client whose connection is cut repeatedly', () => {
  it('gets every signal once, regardless of the process it reconnects to', async () => {
    const source = await SignalingStrategy.open();
    const total = 400;
    let areAllEmitted = false;
    const emitting = (async () => {
      for (let emitted = 0; emitted < total; emitted += 4) {
        await source.emitSignals(4);
        await sleep(5);
      }
      areAllEmitted = true;
    })();
    const received: number[] = [];
    let cuts = 0;
    while (received.at(-1) !== total) {
      // Once all signals are emitted, the connection is cut only after the last signal has arrived.
      const messageCount = areAllEmitted ? total : Math.floor(Math.random() * 15);
      const raw = await RawClient.join(apis[cuts % 2]!, leader.keyPair);
      raw.subscribe('1', QUERY, { strategy: source.id, seen: received.at(-1) ?? 0 });
      await raw.until(() => {
        const last = raw.payloadsOf('1').at(-1)?.data?.tradeSignal?.sequence;
        return raw.payloadsOf('1').length >= messageCount || last === total;
      });
      raw.cut();
      await raw.closed;
      // Wait until earlier sockets have released their leases, because the limit of five also applies to this client.
      await eventually(async () => (await leases()) < 4);
      received.push(...raw.payloadsOf('1').map(({ data }) => data.tradeSignal.sequence));
      cuts++;
    }
    await emitting;
    expect(received).toEqual(upTo(total));
    expect(cuts).toBeGreaterThan(5);
  });

  it('resumes automatically after its last sequence, if it uses graphql-ws', async () => {
    const source = await SignalingStrategy.open();
    const received: number[] = [];
    let sockets = 0;
    let cut = () => {};
    const client = clientOf(apis[0], leader.keyPair, {
      retryAttempts: 1_000,
      retryWait: () => sleep(5),
      url: () => urlOf(apis[sockets++ % 2]!),
      on: { connected: (socket) => (cut = () => (socket as { terminate(): void }).terminate()) },
    });
    clients.push(client);
    // A getter, because the library sends the same payload object after each cut.
    const variables = {
      strategy: source.id,
      get seen() {
        return received.at(-1) ?? 0;
      },
    };
    const subscription = new TestSubscription<Signal>(client, 'tradeSignal', QUERY, variables);
    for (let round = 1; round <= 10; round++) {
      await source.emitSignals(3);
      await subscription.waitUntil(() => {
        received.push(...sequencesOf(subscription.received.splice(0)));
        return received.at(-1) === round * 3;
      });
      cut();
    }
    expect(received).toEqual(upTo(30));
    await eventually(() => sockets > 10);
  });
});

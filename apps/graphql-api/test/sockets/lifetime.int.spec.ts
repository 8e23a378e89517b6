/** Tests the lifetime, the maximum number and the end of sockets. */
import { eventually } from '@trading-automation/runtime/testing';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import {
  createIdentityBody,
  createKeyPair,
  type KeyPair,
  openAccount,
  sendSigned,
} from '../../../rest-api/test/test-rest-api.js';
import { startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';
import { BOOK_FIELDS, PublishedBook } from './published-book.js';
import {
  type CloseInfo,
  clientOf,
  closed,
  executeOverSocket,
  RawClient,
  startApiPair,
  TestSubscription,
} from './socket-clients.js';

let environment: TestEnvironment;
let apis: readonly [TestGraphqlApi, TestGraphqlApi];
let holder: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  apis = await startApiPair(environment.api.databaseUrl);
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api.close()));
  await environment.close();
});
beforeEach(async () => {
  holder = await openAccount(environment.api);
});

const leases = async () =>
  (await environment.rows("SELECT FROM event_streams WHERE kind = 'sockets'")).length;
const SIGNALS = 'subscription ($id: ID!) { tradeSignal(strategyId: $id) { id } }';

describe('a credential', () => {
  it('that is revoked closes its sockets in every process, and no others', async () => {
    // A request that is signed with the second key revokes the first key. An account's last key cannot be revoked.
    const second = await linkedTo(holder);
    const mine = await Promise.all(apis.map((api) => RawClient.join(api, holder)));
    const others = await Promise.all(apis.map((api) => RawClient.join(api, second)));
    const client = clientOf(apis[0], holder);
    await executeOverSocket(client, '{ __typename }');
    const ends: Promise<CloseInfo>[] = [closed(client), ...mine.map((raw) => raw.closed)];
    const { json } = await sendSigned(environment.api, second, 'GET', '/v1/auth/public-keys');
    const keys = json.data as { id: string; pubkey: string }[];
    const { id } = keys.find(({ pubkey }) => pubkey === holder.publicKey)!;
    const { status } = await sendSigned(environment.api, second, 'DELETE', `/v1/auth/public-keys/${id}`);
    expect(status).toBe(200);
    for (const end of ends) expect(await end).toEqual({ code: 4412, reason: 'Credential ended' });
    for (const raw of others) {
      raw.subscribe('1', '{ __typename }');
      await raw.until(() => raw.payloadsOf('1').length > 0);
      raw.cut();
    }
    await expect(RawClient.join(apis[0], holder)).rejects.toThrow('4403');
    await eventually(async () => (await leases()) === 0);
  });

  it('has at most five sockets over all processes, and may open another one after one is closed', async () => {
    const five = await Promise.all([0, 1, 0, 1, 0].map((at) => RawClient.join(apis[at]!, holder)));
    for (const api of apis)
      await expect(RawClient.join(api, holder)).rejects.toThrow('4411 Too many sockets');
    const somebodyElse = await RawClient.join(apis[0], await openAccount(environment.api));
    five[1]!.socket.close();
    await eventually(async () => (await leases()) === 5);
    const sixth = await RawClient.join(apis[1], holder);
    for (const raw of [...five, sixth, somebodyElse]) raw.cut();
    await eventually(async () => (await leases()) === 0);
  });

  it('shares fifteen sockets with the other credentials of its user, even if they open twenty concurrently', async () => {
    const keyPairs = [holder, await linkedTo(holder), await linkedTo(holder), await linkedTo(holder)];
    const tries = await Promise.allSettled(
      keyPairs.flatMap((keyPair) => [0, 1, 0, 1, 0].map((at) => RawClient.join(apis[at]!, keyPair))),
    );
    const open = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(open).toHaveLength(15);
    for (const each of tries)
      if (each.status === 'rejected') expect(String(each.reason)).toContain('4411 Too many sockets');
    for (const raw of open) raw.cut();
    await eventually(async () => (await leases()) === 0);
  });

  it('gets only five sockets if it opens twenty concurrently', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => RawClient.join(apis[i % 2]!, holder)),
    );
    const open = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(open).toHaveLength(5);
    for (const raw of open) raw.cut();
    await eventually(async () => (await leases()) === 0);
  });
});

describe('a socket', () => {
  it('is closed with 4408 only if it does not answer a ping', async () => {
    const hasty = await startTestGraphqlApi(environment.api.databaseUrl, {}, { pingMs: 100 });
    try {
      const lively = await RawClient.join(hasty, holder);
      const mute = await RawClient.open(hasty, undefined, false);
      expect(await mute.closed).toMatchObject({ code: 4408 });
      lively.subscribe('1', '{ __typename }');
      await lively.until(() => lively.payloadsOf('1').length > 0);
      lively.cut();
    } finally {
      await hasty.close();
    }
  });

  it('has at most fifty subscriptions: one more closes it', async () => {
    const book = await PublishedBook.open(environment);
    try {
      await book.reset([['1', '1']]);
      const query = `subscription { orderbookUpdate(tradePairId: "${book.pairId}") { ${BOOK_FIELDS} } }`;
      const raw = await RawClient.join(apis[0], holder);
      for (let i = 0; i < 50; i++) raw.subscribe(String(i), query);
      // The fifty ids, and `undefined` for the acknowledgement of the handshake.
      await raw.until(() => new Set(raw.messages.map(({ id }) => id)).size === 51);
      // Completed subscriptions do not count.
      raw.sendMessage({ id: '0', type: 'complete' });
      raw.subscribe('50', query);
      await raw.until(() => raw.payloadsOf('50').length > 0);
      raw.subscribe('51', query);
      expect(await raw.closed).toEqual({ code: 4411, reason: 'Too many subscriptions' });
      await eventually(async () => (await book.listeners()) === 0);
    } finally {
      book.close();
    }
  });

  it('that is closing executes nothing more', async () => {
    const raw = await RawClient.join(apis[0], holder);
    const create = (name: string) => `mutation { createApiKey(input: { name: "${name}" }) { id } }`;
    // This invalid frame makes the server close the socket. The client sends the mutation before it notices this.
    raw.socket.send('not a protocol message');
    raw.subscribe('1', create('late'));
    expect(await raw.closed).toMatchObject({ code: 4400 });
    // If the server executed 'late', it would have finished by the time these three mutations have finished.
    const client = clientOf(apis[0], holder);
    for (let i = 0; i < 3; i++) await executeOverSocket(client, create('in time'));
    await client.dispose();
    const rows = await environment.rows("SELECT name FROM api_keys WHERE name IN ('late', 'in time')");
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ name: 'in time' })));
  });
});

it('a process releases the leases of all of its sockets before it has stopped', async () => {
  const ending = await startTestGraphqlApi(environment.api.databaseUrl);
  for (let i = 0; i < 12; i++) {
    const account = await openAccount(environment.api);
    await Promise.all([1, 2, 3, 4, 5].map(() => RawClient.join(ending, account)));
  }
  expect(await leases()).toBe(60);
  await ending.close();
  expect(await leases()).toBe(0);
});

it('a process that stops closes every socket with 1001 and completes no subscription', async () => {
  const book = await PublishedBook.open(environment);
  const ending = await startTestGraphqlApi(environment.api.databaseUrl);
  await book.reset([['1', '1']]);
  const { strategyId } = await createStrategy();
  const client = clientOf(ending, holder);
  const query = `subscription { orderbookUpdate(tradePairId: "${book.pairId}") { kind } }`;
  const bookSubscription = new TestSubscription(client, 'orderbookUpdate', query);
  const signalSubscription = new TestSubscription(client, 'tradeSignal', SIGNALS, { id: strategyId });
  await bookSubscription.waitForCount(1);
  const unauthenticated = await RawClient.open(ending);
  await ending.close();
  const goingAway = { code: 1001, reason: 'Going away' };
  expect(await unauthenticated.closed).toEqual(goingAway);
  expect([await bookSubscription.outcome(), await signalSubscription.outcome()]).toEqual([
    goingAway,
    goingAway,
  ]);
  expect([await book.listeners(), await leases()]).toEqual([0, 0]);
  book.close();

  async function createStrategy(): Promise<{ strategyId: string }> {
    const create = (path: string, body: object) =>
      sendSigned(environment.api, holder, 'POST', path, { body }).then(
        ({ json }) => (json.data as { id: string }).id,
      );
    const accountId = await create('/v1/exchanges', environment.accountBody());
    return { strategyId: await create('/v1/strategies', { name: 'mine', exchange_account_id: accountId }) };
  }
});

/** Creates a key pair that is linked to the account of `owner`. */
async function linkedTo(owner: KeyPair): Promise<KeyPair> {
  const another = createKeyPair();
  const body = await createIdentityBody(environment.api, another);
  const { status, text } = await sendSigned(environment.api, owner, 'POST', '/v1/auth/cli-identity', {
    body,
  });
  if (status !== 201) throw new Error(text);
  return another;
}

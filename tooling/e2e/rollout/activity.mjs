import { randomUUID } from 'node:crypto';
import { createClient, outcomeOf } from '../../launch/first-trade/client.mjs';
import { until } from '../../launch/first-trade/scenario.mjs';
import { createSigner, generatePrivateKey, Realtime, signChallenge } from '../../launch/sdk.mjs';

/**
 * What users do while a release is rolled out. Each function begins at one API and goes on at another one: during a rollout,
 * a load balancer sends the requests of one client to both releases.
 *
 * @typedef {import('./participants.mjs').Api} Api
 * @typedef {import('./participants.mjs').Participants} Participants
 * @typedef {(participants: Participants, first: Api, second: Api) => Promise<void>} Activity
 */

const walletAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const timeoutMs = 60_000;

/**
 * @param {boolean} condition
 * @param {string} message
 * @returns {asserts condition}
 */
function assert(condition, message) {
  if (!condition) throw new Error(message);
}

/** @type {Activity} */
async function orders({ leader, pairId }, first, second) {
  const [begin, proceed] = [leader.at(first), leader.at(second)];
  const placed = async () =>
    (await begin.trades.list({ limit: 1, include: ['total'] })).pagination.total ?? 0;
  const before = await placed();
  const order = /** @type {const} */ ({
    exchange_account_id: leader.account.id,
    trade_pair_id: pairId,
    type: 'LIMIT',
    side: 'BUY',
    price: 10_000,
    amount: '0.001',
  });
  const idempotencyKey = randomUUID();
  const resting = await begin.trades.create(order, { idempotencyKey });
  await assertRepeated(
    proceed.trades.create(order, { idempotencyKey, maxRetries: 0 }),
    resting.id,
    first,
    second,
  );
  await until(
    () => proceed.trades.get(resting.id),
    ({ exchange_order_id }) => exchange_order_id !== undefined,
    timeoutMs,
  );
  await proceed.trades.cancel(resting.id);
  await until(
    () => begin.trades.get(resting.id),
    ({ status }) => status === 'CANCELLED',
    timeoutMs,
  );
  const count = (await placed()) - before;
  assert(count === 1, `${count} orders were placed instead of one`);
}

/**
 * Asserts that a request with a used Idempotency-Key returns the record of the first one. The previous release cannot read
 * what this release stores (ADR 5): there the request fails, and it takes no effect.
 *
 * @param {import('@trading-automation/sdk').ApiPromise<{ id: string }>} call
 * @param {string} id
 * @param {Api} first
 * @param {Api} second
 */
async function assertRepeated(call, id, first, second) {
  const { status, data } = await outcomeOf(call);
  const isUnreadable = first.name === 'new' && second.name === 'old' && status === 500;
  assert(isUnreadable || data?.id === id, `the Idempotency-Key of ${id} led to ${data?.id ?? status}`);
}

/** @type {Activity} */
async function copies({ leader, follower, strategyId, pairId, receiver }, first, second) {
  const live = new Realtime(follower.signedAt(second.isHeld ? first : second));
  try {
    for (const side of /** @type {const} */ (['BUY', 'SELL'])) {
      const copied = async (/** @type {Api} */ api) => {
        const query = { exchange_account_id: follower.account.id, side, status: 'FILLED', limit: 100 };
        return (await follower.at(api).trades.list(/** @type {any} */ (query))).data.length;
      };
      // A trade with several fills is several signals, each with a copy of its own; the audit at the end counts them.
      const before = await copied(second);
      const trade = await leader.at(first).trades.create({
        exchange_account_id: leader.account.id,
        trade_pair_id: pairId,
        strategy_id: strategyId,
        type: 'MARKET',
        side,
        // A sale leaves a rest of each purchase, from which the exchange has taken its fee.
        amount: side === 'BUY' ? '0.01' : '0.009',
      });
      await until(
        () => leader.at(second).trades.get(trade.id),
        ({ status }) => status === 'FILLED',
        timeoutMs,
      );
      for (const type of ['trade.created', 'trade.filled'])
        await receiver.until(
          `${type} of ${trade.id}`,
          ({ event, isGenuine }) => event.type === type && event.data.id === trade.id && isGenuine,
          timeoutMs,
        );
      await Promise.race([signalOf(live, strategyId, trade.id), late(`the signal of ${trade.id}`)]);
      await until(
        async () => [await copied(first), await copied(second)],
        ([shown, alsoShown]) => shown === alsoShown && Number(shown) > before,
        timeoutMs,
      );
    }
  } finally {
    await live.close();
  }
}

/**
 * Resolves when a subscription, from the first signal on, contains one of the trade.
 *
 * @param {InstanceType<typeof Realtime>} live
 * @param {string} strategyId
 * @param {string} tradeId
 */
async function signalOf(live, strategyId, tradeId) {
  for await (const { source_trade_id } of live.tradeSignals(strategyId, { afterSequence: 0 }))
    if (source_trade_id === tradeId) return;
}

/** @type {Activity} */
async function withdrawals({ leader }, first, second) {
  const [begin, proceed] = [leader.at(first), leader.at(second)];
  for (const { id } of (await proceed.rewards.list({ status: 'CLAIMABLE' })).data)
    await begin.rewards.claim(id);
  await until(
    () => proceed.rewards.balance(),
    ({ available }) => Number(available) >= 5,
    timeoutMs,
  );
  const before = await begin.rewards.balance();
  const request = { amount: '5', wallet_address: walletAddress };
  const idempotencyKey = randomUUID();
  const { id } = await begin.withdrawals.create(request, { idempotencyKey });
  await assertRepeated(
    proceed.withdrawals.create(request, { idempotencyKey, maxRetries: 0 }),
    id,
    first,
    second,
  );
  await proceed.withdrawals.cancel(id);
  const { status } = await begin.withdrawals.get(id);
  assert(status === 'CANCELLED', `the withdrawal is ${status}`);
  const after = [await begin.rewards.balance(), await proceed.rewards.balance()];
  for (const { available } of after)
    assert(available === before.available, `${before.available} before and ${available} after`);
}

/** @type {Activity} */
async function signIn({ leader }, first, second) {
  const signer = createSigner(generatePrivateKey());
  const { challenge } = await createClient({ restUrl: first.restUrl }).auth.cliChallenge({
    pubkey: signer.publicKey,
  });
  const proof = await signChallenge(challenge, signer);
  await createClient({ restUrl: second.restUrl }).auth.cliIdentity({ ...proof, label: 'rollout' });
  const { id, key } = await leader.at(first).apiKeys.create({ name: 'rollout', permissions: ['READ'] });
  const restricted = (/** @type {Api} */ { restUrl }) =>
    createClient({ restUrl, apiKey: key, maxRetries: 0 });
  await restricted(second).me.get();
  await restricted(first).me.get();
  await leader.at(second).apiKeys.revoke(id);
  await until(
    () => outcomeOf(restricted(first).me.get()),
    ({ status }) => status === 401,
    5_000,
  );
}

/** @type {Activity} */
async function events({ leader, pairId }, first, second) {
  const controller = new AbortController();
  const stream = leader.at(first).events.stream({ type: 'trade.created' }, { signal: controller.signal });
  try {
    const next = stream.next();
    // The stream begins with the next event after it is connected.
    const placed = new Set();
    const order = {
      exchange_account_id: leader.account.id,
      trade_pair_id: pairId,
      price: 10_000,
      amount: '0.001',
    };
    let arrived;
    for (let i = 0; i < 20 && arrived === undefined; i++) {
      const { id } = await leader.at(second).trades.create({ ...order, type: 'LIMIT', side: 'BUY' });
      placed.add(id);
      arrived = await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 1_000))]);
      await until(
        () => outcomeOf(leader.at(first).trades.cancel(id)),
        ({ status }) => status === 200,
        timeoutMs,
      );
    }
    const event = /** @type {any} */ (arrived)?.value;
    assert(placed.has(event?.data?.id), `the stream of ${first.name} did not show a trade of ${second.name}`);
  } finally {
    controller.abort();
  }
}

/** @param {string} what @returns {Promise<never>} */
async function late(what) {
  await new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
  throw new Error(`${what} did not arrive within ${timeoutMs / 1_000} s`);
}

/** @type {Readonly<Record<string, Activity>>} */
export const activities = { orders, copies, withdrawals, signIn, events };

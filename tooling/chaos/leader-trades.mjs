import { setTimeout as wait } from 'node:timers/promises';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { drawSpotOrder } from './order-terms.mjs';
import { drawPerpetualOrder } from './perpetual-orders.mjs';
import { tradeAtVenue } from './venue.mjs';

/**
 * The pause of a leader between two orders. With three leaders, 200 copiers and two cores, copying is then below half of
 * what the machine can do, so that an entry is only too old if the product lost time, not because of a backlog. With
 * half of these pauses, both cores were busy for 86 to 98 % of a storm.
 */
const orderPauseMs = { min: 2_000, max: 8_000 };

/**
 * Places one order after another. A request whose response is lost is repeated with its Idempotency-Key until a
 * response arrives. Some orders are placed directly at the exchange; these requests are not repeated.
 *
 * @param {import('./storm.mjs').Context} context
 * @param {import('./participants.mjs').Leader} leader
 * @param {import('./storm.mjs').Clock} clock
 * @param {import('./storm.mjs').StormCounts} counts
 */
export async function trade({ product, participants, random }, leader, { isOver, pause }, counts) {
  const resting = [];
  const { account, strategyId } = leader;
  const isPerpetual = account.tradingType === 'perpetual';
  for (let index = 0; !isOver(); index++) {
    const pair = random.pick(isPerpetual ? participants.pairs.filter(isForLeaders) : participants.pairs);
    const terms = isPerpetual ? await drawPerpetualOrder(leader, pair, random) : drawSpotOrder(pair, random);
    if (random.happens(0.15)) {
      const { side, amount: quantity } = terms;
      const order = { symbol: `${pair.base}${pair.quote}`, side, quantity, isPerpetual };
      if (await tradeAtVenue(product.paperExchangeUrl, account.credentials, order)) counts.venueOrders++;
    } else {
      const created = await placeReliably(leader.api, {
        exchange_account_id: account.id,
        trade_pair_id: pair.id,
        strategy_id: strategyId,
        client_order_id: `chaos-${strategyId.slice(-6)}-${index}`,
        ...terms,
      });
      if (created !== undefined) {
        counts.orders++;
        if (created.type === 'LIMIT') resting.push(created.id);
      }
    }
    // Cancels the oldest resting order if there are more than three.
    if (resting.length > 3)
      await leader.api.trades.cancel(/** @type {string} */ (resting.shift())).catch(() => {});
    await pause(random.between(orderPauseMs.min, orderPauseMs.max));
  }
}

/** The speculator's contract belongs to no leader, because its mark price is moved. @param {{ base: string }} pair */
const isForLeaders = ({ base }) => base !== 'SOL';

/**
 * @param {import('@trading-automation/sdk').Client} api
 * @param {import('@trading-automation/sdk').TradeCreate & { client_order_id: string }} body
 */
export async function placeReliably(api, body) {
  const idempotencyKey = body.client_order_id;
  for (;;) {
    const outcome = await outcomeOf(api.trades.create(body, { idempotencyKey })).catch(() => undefined);
    if (outcome?.status === 201) return outcome.data;
    const isUnknown = outcome === undefined || outcome.status >= 500;
    if (!isUnknown && outcome.code !== 'idempotency_in_progress') return undefined;
    await wait(300);
  }
}

import { exact, sum } from './fraction.mjs';
import { buy, untilFilled } from './leader-moves.mjs';
import { drawPerpetualSizing } from './perpetual-settings.mjs';
import { drawSizing } from './settings.mjs';

/**
 * The moves of the copiers' user, and a killed process.
 *
 * @typedef {import('./moves.mjs').Move} Move
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./participants.mjs').Strategy} Strategy
 */

/** @type {Move} */
export async function stopCopier(day, strategy) {
  const copier = drawCopierOf(day, strategy);
  const mode = day.random.pick(['PAUSED', 'CLOSE_ONLY']);
  await day.parts.participants.api.post(`/v1/copiers/${copier.id}/stop`, { mode });
  await day.refresh(copier);
  if (mode === 'PAUSED') day.parts.replay.pause(copier.id);
  return `${copier.name} is stopped: ${mode}`;
}

/** Starts all copiers that are stopped. A loss limit that was reached is removed before, because it would stop its copier again. @type {Move} */
export async function startCopier(day, strategy) {
  const { copiers, api } = day.parts.participants;
  const stopped = copiers.filter((copier) => day.stateOf(copier).status !== 'ACTIVE');
  for (const copier of stopped) {
    if (day.stateOf(copier).record.status_reason !== 'USER') {
      const limits = { max_daily_loss_quote: null, max_drawdown_percent: null };
      await api.patch(`/v1/copiers/${copier.id}`, { limits });
    }
    await api.post(`/v1/copiers/${copier.id}/start`, {});
    await day.refresh(copier);
  }
  return `${stopped.map(({ name }) => name).join(', ') || strategy.id} started`;
}

/** @type {Move} */
export async function editCopier(day, strategy) {
  const copier = drawCopierOf(day, strategy);
  const { api } = day.parts.participants;
  const sizing = day.tradingType === 'spot' ? drawSizing(day.random) : drawPerpetualSizing(day.random);
  await api.patch(`/v1/copiers/${copier.id}`, { sizing });
  await day.refresh(copier);
  return `${copier.name} gets ${JSON.stringify(sizing)}`;
}

/** @type {Move} */
export async function deposit(day, strategy) {
  const { account, name } = drawCopierOf(day, strategy);
  const amount = day.random.between(10, 5_000).toFixed(2);
  await day.venue.admin('POST', 'deposits', { api_key: account.credentials.api_key, asset: 'USDT', amount });
  day.parts.replay.addBalance(account.id, 'USDT', exact(amount));
  return `${amount} USDT are deposited for ${name}`;
}

/** The user of a copier sells a part of what copies of several lots of the leader hold. Before, the leader opens such lots if needed. @type {Move} */
export async function sellByHand(day, strategy, symbol) {
  let sale = findSale(day, symbol);
  for (let purchases = 0; sale === undefined && purchases < 2; purchases += 1) {
    day.move = await buy(day, strategy, symbol);
    await day.settleAndCompare();
    sale = findSale(day, symbol);
  }
  if (sale === undefined) return `${day.move}, because no copier held enough to sell by hand`;
  const { account, name, amount } = sale;
  const { api } = day.parts.participants;
  const { id } = await api.post('/v1/trades', {
    exchange_account_id: account.id,
    trade_pair_id: day.parts.replay.pair(symbol).id,
    type: 'MARKET',
    side: 'SELL',
    amount: String(amount),
  });
  await untilFilled(day, id, amount);
  return `${name}'s user sells ${amount} ${symbol} by hand`;
}

/**
 * Returns the first copier alone on its account with copies of several lots of the leader, and 40 % of their amount.
 *
 * @param {Day} day
 * @param {string} symbol
 */
function findSale(day, symbol) {
  const { replay, participants } = day.parts;
  const { copiers } = participants;
  for (const { account, name } of copiers) {
    if (copiers.filter((other) => other.account.id === account.id).length > 1) continue;
    const lots = replay.book(account.id, symbol).lots.filter(({ open }) => open.isPositive);
    if (new Set(lots.map(({ sourceTradeId }) => sourceTradeId)).size < 2) continue;
    const amount = sum(lots.map(({ open }) => open))
      .times(exact('0.4'))
      .floorTo(replay.pair(symbol).step);
    if (!amount.times(exact(day.mids.get(symbol) ?? 0)).isBelow(exact('11')))
      return { account, name, amount };
  }
  return undefined;
}

/** The copier's user closes one copy, or a part of it. @type {Move} */
export async function closeLot(day, strategy, symbol) {
  const { replay, reader, participants } = day.parts;
  const fraction = exact(day.random.pick(['1', '1', '0.5', '0.37']));
  for (const { id: copierId, account, name } of participants.copiers) {
    const book = replay.book(account.id, symbol);
    // The newest lot, which no other sale would close first.
    const lot = book.lots.findLast(({ open, owner }) => open.isPositive && owner === copierId);
    const amount = lot?.open.times(fraction).floorTo(replay.pair(symbol).marketStep);
    if (lot === undefined || amount === undefined) continue;
    const least = replay.pair(symbol).minNotional.times(exact('1.1'));
    if (amount.times(exact(day.mids.get(symbol) ?? 0)).isBelow(least)) continue;
    const path = `/v1/lots?copier_id=${copierId}&status=OPEN`;
    const record = (await participants.api.list(path)).find((each) => isOf(each, lot));
    if (record === undefined) {
      day.report({ problem: 'GET /v1/lots does not list an open lot', copier: name, trade: lot.tradeId });
      continue;
    }
    const trade = await participants.api.post(`/v1/lots/${record.id}/close`, { fraction: String(fraction) });
    reader.closedLots.set(trade.id, (each) => each === lot || each.original === lot);
    replay.closedCopies.set(trade.id, { key: `${copierId} ${lot.sourceTradeId}`, open: lot.open });
    if (exact(trade.amount).compare(amount) !== 0)
      day.report({ problem: 'a lot is closed by another amount', trade, amount: String(amount) });
    await untilFilled(day, trade.id, amount);
    return `${name}'s user closes ${amount} of lot ${record.id}`;
  }
  return (await day.deck.moves[0]?.[1](day, strategy, symbol)) ?? 'nothing';
}

/** @param {any} record of GET /v1/lots @param {import('./lots.mjs').Lot} lot */
const isOf = (record, { tradeId, price, opened, open }) =>
  record.trade_id === tradeId &&
  exact(record.entry_price).compare(price) === 0 &&
  exact(record.amount).compare(opened) === 0 &&
  exact(record.remaining_amount).compare(open) === 0;

/** @type {Move} */
export async function restart(day) {
  const name = day.random.pick(['trading-worker', 'rest-api']);
  await day.product.kill(name);
  return `${name} was killed`;
}

/** @param {Day} day @param {Strategy} strategy */
export function drawCopierOf(day, strategy) {
  const { copiers } = day.parts.participants;
  return day.random.pick(copiers.filter((copier) => copier.strategy.id === strategy.id));
}

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { accountByKey, contractSpecOf, read } from './admin-input.js';
import { formatPlain, parseUnits } from './engine/decimal.js';
import { contractOf, contractPair, markText, SETTLEMENT_ASSET } from './engine/futures/contracts.js';
import { walletOf } from './engine/futures/futures-account.js';
import type { FuturesFill, FuturesOrder } from './engine/futures/futures-order.js';
import type { ContractMargin } from './engine/futures/margin.rules.js';
import { baseUnits } from './engine/symbols.js';
import { VenueError } from './errors.js';
import type { FuturesVenue } from './futures-venue.js';
import type { FuturesContext } from './wire/futures/futures-context.js';
import { averageText, priceText } from './wire/futures/futures-text.js';

const rate = z.union([z.number(), z.string()]).transform(String);
const FundingBody = z.strictObject({ symbol: z.string(), rate });
const AdlBody = z.strictObject({ api_key: z.string(), symbol: z.string() });
const PositionModeBody = z.strictObject({ api_key: z.string(), dual: z.boolean() });
const ListingBody = z.strictObject({ symbol: z.string(), listed: z.boolean() });
/** The largest funding rate of an admin call, in units of 10^-8. */
const MAX_RATE = 10_000_000n;

/** Adds the admin calls for what a futures venue does on its own: funding, auto-deleveraging and delisting. */
export function addFuturesCalls(app: FastifyInstance, { venue }: { readonly venue: FuturesVenue }): void {
  const { futures, exchange } = venue.context;
  const accountOf = (apiKey: string) => futures.state.account(accountByKey(exchange, apiKey).id);
  app.post('/funding', (req) => {
    const body = read(FundingBody, req.body);
    const spec = contractSpecOf(body.symbol);
    const { mark, at } = futures.fund(spec, rateOf(body.rate));
    return {
      symbol: contractPair(spec),
      rate: body.rate,
      mark_price: trimmed(markText(spec, mark)),
      at: timeText(at),
    };
  });
  app.post('/adl', (req) => {
    const body = read(AdlBody, req.body);
    const spec = contractSpecOf(body.symbol);
    const order = futures.deleverage(accountOf(body.api_key), spec);
    if (order === undefined) throw new VenueError(-2024, 'The account has no position in this contract.');
    return orderRow(order);
  });
  app.post('/accounts/position-mode', (req) => {
    const body = read(PositionModeBody, req.body);
    futures.settings.setHedged(accountOf(body.api_key), body.dual);
    return { dual: body.dual };
  });
  app.post('/listing', (req) => {
    const body = read(ListingBody, req.body);
    const spec = contractSpecOf(body.symbol);
    futures.setListed(spec, body.listed);
    return { symbol: contractPair(spec), listed: body.listed };
  });
}

/** Reads a funding rate, which may be negative, in units of 10^-8. */
function rateOf(text: string): number {
  const isNegative = text.startsWith('-');
  const units = parseUnits(isNegative ? text.slice(1) : text);
  if (typeof units !== 'bigint' || units > MAX_RATE)
    throw new VenueError(-1100, 'rate must be between -0.1 and 0.1, with at most 8 decimal places');
  return isNegative ? -Number(units) : Number(units);
}

/** Returns everything that an account did and has on futures, since it was made. */
export function futuresLedgerView({ futures }: FuturesContext, accountId: string) {
  const { state, margins } = futures;
  const account = state.account(accountId);
  const { contracts, available } = margins.of(account);
  const orders = state.ordersOf(accountId);
  const incomes = state.incomesOf(accountId);
  return {
    orders: orders.map(orderRow),
    fills: state.fillsOf(accountId).map((fill) => fillRow(fill, state.order(fill.orderId))),
    futures_balances: {
      [SETTLEMENT_ASSET]: { wallet: formatPlain(walletOf(account)), available: formatPlain(available) },
    },
    positions: contracts
      .filter(({ position }) => position.lots !== 0)
      .map((one) => positionRow(futures, one)),
    funding: incomes
      .filter(({ type }) => type === 'FUNDING_FEE')
      .map(({ id, symbol, amount, at }) => ({
        funding_id: String(id),
        symbol: contractPair(contractOf(symbol)),
        // Positive if the account received it.
        amount: formatPlain(amount),
        at: timeText(at),
      })),
    liquidations: orders.filter(({ forced }) => forced !== undefined).map(liquidationRow),
  };
}

function orderRow(order: FuturesOrder) {
  const spec = contractOf(order.symbol);
  return {
    order_id: String(order.id),
    client_order_id: order.clientOrderId,
    symbol: contractPair(spec),
    side: order.side,
    type: order.type,
    time_in_force: order.timeInForce,
    price: trimmed(priceText(spec, order.priceTicks)),
    amount: formatPlain(baseUnits(spec, order.lots)),
    filled_amount: formatPlain(baseUnits(spec, order.executedLots)),
    status: order.status,
    reduce_only: order.isReduceOnly,
  };
}

function fillRow(fill: FuturesFill, order: FuturesOrder | undefined) {
  const spec = contractOf(fill.symbol);
  return {
    fill_id: String(fill.id),
    order_id: String(fill.orderId),
    client_order_id: order?.clientOrderId ?? '',
    symbol: contractPair(spec),
    side: fill.side,
    price: trimmed(priceText(spec, fill.priceTicks)),
    amount: formatPlain(baseUnits(spec, fill.lots)),
    fee: formatPlain(fill.fee),
    fee_asset: SETTLEMENT_ASSET,
    realized_pnl: formatPlain(fill.realized),
    executed_at: timeText(fill.executedAt),
  };
}

function positionRow({ state }: FuturesContext['futures'], one: ContractMargin) {
  const spec = contractOf(one.symbol);
  const { position } = one;
  return {
    symbol: contractPair(spec),
    side: position.lots > 0 ? 'LONG' : 'SHORT',
    amount: formatPlain(baseUnits(spec, Math.abs(position.lots))),
    entry_price: trimmed(averageText(spec, position.cost, position.lots, 8)),
    mark_price: trimmed(markText(spec, state.contracts.of(spec.id).mark)),
    leverage: one.leverage,
    margin_mode: one.isIsolated ? 'ISOLATED' : 'CROSS',
    isolated_margin: formatPlain(position.isolated),
    unrealized_pnl: formatPlain(one.unrealized),
  };
}

function liquidationRow(order: FuturesOrder) {
  const spec = contractOf(order.symbol);
  return {
    order_id: String(order.id),
    client_order_id: order.clientOrderId,
    symbol: contractPair(spec),
    side: order.side,
    reason: order.forced,
    price: trimmed(averageText(spec, order.executedQuote, order.executedLots)),
    amount: formatPlain(baseUnits(spec, order.executedLots)),
    executed_at: timeText(order.updatedAt),
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** Removes trailing zeros of a decimal with a point. */
function trimmed(text: string): string {
  let end = text.length;
  while (text.includes('.') && text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

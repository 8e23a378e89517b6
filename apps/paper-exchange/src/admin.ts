import { createPublicKey, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { addControls } from './admin-controls.js';
import { addFuturesCalls, futuresLedgerView } from './admin-futures.js';
import { guardAdmin } from './admin-guard.js';
import { accountByKey, amount, read, specOf, unitsOf } from './admin-input.js';
import { addMarketCalls } from './admin-market.js';
import { formatPlain, UNIT_DECIMALS } from './engine/decimal.js';
import type { Exchange } from './engine/exchange.js';
import { SETTLEMENT_ASSET } from './engine/futures/contracts.js';
import { marginIdOf } from './engine/margin/margin-account.rules.js';
import { ASSETS, baseUnits, pairOf } from './engine/symbols.js';
import type { FuturesVenue } from './futures-venue.js';
import type { MarketMaker } from './market/maker.js';
import { forecastSchema } from './weather/forecast.js';
import { scheduleSchema } from './weather/schedule.js';
import type { Weather } from './weather/weather.js';

const AccountBody = z.strictObject({
  balances: z.record(z.enum(ASSETS as [string, ...string[]]), amount.optional()).optional(),
  margin_balances: z.record(z.enum(ASSETS as [string, ...string[]]), amount.optional()).optional(),
  futures_balances: z.strictObject({ [SETTLEMENT_ASSET]: amount.optional() }).optional(),
  can_withdraw: z.boolean().default(false),
  can_trade: z.boolean().default(true),
  public_key: z.string().refine(isEd25519, 'must be an Ed25519 public key in PEM format').optional(),
});
const LedgerQuery = z.strictObject({ api_key: z.string() });

export interface AdminOptions {
  readonly exchange: Exchange;
  readonly maker: MarketMaker;
  readonly venue: FuturesVenue;
  readonly weather: Weather;
  readonly streams: { disconnectAll(): number };
  readonly token: string | undefined;
  readonly now: () => number;
}

/** Registers the admin calls, which the simulated venue does not have, as a plugin with a guard of its own. */
export function registerAdmin(app: FastifyInstance, options: AdminOptions): void {
  app.register(
    async (scope) => {
      guardAdmin(scope, options.token);
      acceptEmptyJson(scope);
      addAccountCalls(scope, options);
      addWeatherCalls(scope, options);
      addMarketCalls(scope, options);
      addControls(scope, options);
      addFuturesCalls(scope, options);
    },
    { prefix: '/admin' },
  );
}

/** Clients send `content-type: application/json` with calls that have no body, too. */
function acceptEmptyJson(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (req, body, done) => {
    if (body === '') done(null, undefined);
    else parse(req, String(body), done);
  });
}

function addAccountCalls(app: FastifyInstance, { exchange, now, venue: { context } }: AdminOptions): void {
  app.post('/accounts', (req) => {
    const body = read(AccountBody, req.body);
    const uid = exchange.state.accountCount() + 1;
    const account = {
      id: `u${uid}`,
      uid,
      apiKey: randomBytes(32).toString('hex'),
      apiSecret: randomBytes(32).toString('hex'),
      canTrade: body.can_trade,
      canWithdraw: body.can_withdraw,
      createdAt: now(),
      ...(body.public_key === undefined ? {} : { publicKey: body.public_key }),
    };
    exchange.openAccount(account, balancesOf(body.balances));
    for (const [asset, units] of balancesOf(body.margin_balances)) {
      exchange.deposit(account, asset, units);
      if (units > 0n) exchange.margin.transfer(account, true, asset, units);
    }
    const deposit = unitsOf(body.futures_balances?.[SETTLEMENT_ASSET] ?? '0');
    if (deposit > 0n) context.futures.settings.deposit(context.futures.state.account(account.id), deposit);
    return { api_key: account.apiKey, api_secret: account.apiSecret };
  });
  app.get('/ledger', (req) => {
    const account = accountByKey(exchange, read(LedgerQuery, req.query).api_key);
    const margin = ledgerView(exchange, marginIdOf(account.id));
    const spot = ledgerView(exchange, account.id);
    const loans = loansLedgerView(exchange.state, marginIdOf(account.id));
    return { ...mergeLedgers(spot, margin, futuresLedgerView(context, account.id)), ...loans };
  });
  app.post('/interest', () => {
    exchange.margin.chargeNow();
    return {};
  });
}

function addWeatherCalls(app: FastifyInstance, { weather, streams }: AdminOptions): void {
  app.put('/weather', (req) => {
    weather.set(read(forecastSchema, req.body));
    return weather.get();
  });
  app.put('/weather/schedule', (req) => {
    weather.run(read(scheduleSchema, req.body));
    return weather.scheduled();
  });
  app.get('/weather', () => ({ ...weather.get(), schedule: weather.scheduled() }));
  app.post('/streams/disconnect', () => ({ disconnected: streams.disconnectAll() }));
}

function isEd25519(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function balancesOf(balances: Readonly<Record<string, string | undefined>> = {}): Map<string, bigint> {
  return new Map(Object.entries(balances).map(([asset, text]) => [asset, unitsOf(text ?? '0')]));
}

/** Returns three ledgers as one. The orders and fills of margin follow those of spot, and those of contracts come last. */
function mergeLedgers(
  spot: ReturnType<typeof ledgerView>,
  margin: ReturnType<typeof ledgerView>,
  { orders, fills, ...futures }: ReturnType<typeof futuresLedgerView>,
): object {
  const marked = <T extends object>(rows: readonly T[]) => rows.map((row) => ({ ...row, is_margin: true }));
  return {
    ...spot,
    orders: [...spot.orders, ...marked(margin.orders), ...orders],
    fills: [...spot.fills, ...marked(margin.fills), ...fills],
    ...futures,
  };
}

/** Returns the balances, debts and interest of a margin account. */
function loansLedgerView(state: Exchange['state'], marginId: string): object {
  return {
    margin_balances: Object.fromEntries(
      ASSETS.map((asset) => {
        const { free, locked } = state.ledger.balance(marginId, asset);
        const { principal, interest } = state.loans.debt(marginId, asset);
        const amounts = { free, locked, borrowed: principal, interest };
        return [
          asset,
          Object.fromEntries(Object.entries(amounts).map(([name, units]) => [name, formatPlain(units)])),
        ];
      }),
    ),
    interest: state.loans.chargesOf(marginId).map(({ id, asset, interest, at }) => ({
      interest_id: String(id),
      asset,
      amount: formatPlain(interest),
      at: new Date(at).toISOString(),
    })),
  };
}

function ledgerView({ state }: Exchange, accountId: string) {
  return {
    balances: Object.fromEntries(
      ASSETS.map((asset) => {
        const { free, locked } = state.ledger.balance(accountId, asset);
        return [asset, { free: formatPlain(free), locked: formatPlain(locked) }];
      }),
    ),
    orders: state.ordersOf(accountId).map((order) => {
      const spec = specOf(order.symbol);
      return {
        order_id: String(order.id),
        client_order_id: order.clientOrderId,
        symbol: pairOf(spec),
        side: order.side,
        type: order.type,
        time_in_force: order.timeInForce,
        price: formatPlain(BigInt(order.priceTicks) * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals)),
        amount: formatPlain(baseUnits(spec, order.lots)),
        filled_amount: formatPlain(baseUnits(spec, order.executedLots)),
        status: order.status,
      };
    }),
    fills: state.fillsOf(accountId).map((fill) => {
      const spec = specOf(fill.symbol);
      return {
        fill_id: String(fill.id),
        order_id: String(fill.orderId),
        client_order_id: fill.clientOrderId,
        symbol: pairOf(spec),
        side: fill.side,
        price: formatPlain(BigInt(fill.priceTicks) * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals)),
        amount: formatPlain(baseUnits(spec, fill.lots)),
        fee: formatPlain(fill.fee),
        fee_asset: fill.feeAsset,
        executed_at: new Date(fill.executedAt).toISOString(),
      };
    }),
  };
}

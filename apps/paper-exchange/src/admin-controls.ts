import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { amount, lotsOf, read, specOf, ticksOf, unitsOf } from './admin-input.js';
import { formatPlain } from './engine/decimal.js';
import type { Exchange } from './engine/exchange.js';
import { ASSETS, type MarketSpec, pairOf } from './engine/symbols.js';
import { VenueError } from './errors.js';
import type { MarketMaker } from './market/maker.js';

const asset = z.enum(ASSETS as [string, ...string[]]);
const DepositBody = z.strictObject({ api_key: z.string(), asset, amount });
const FeesBody = z.strictObject({ api_key: z.string(), asset: asset.nullable() });
const level = z.tuple([amount, amount]);
const BookBody = z.strictObject({
  symbol: z.string(),
  bids: z.array(level).max(100),
  asks: z.array(level).max(100),
});

/** Adds the admin calls by which a test controls facts that a market otherwise decides: deposits, fee assets, the book. */
export function addControls(
  app: FastifyInstance,
  { exchange, maker }: { readonly exchange: Exchange; readonly maker: MarketMaker },
): void {
  const accountOf = (apiKey: string) => {
    const account = exchange.state.accountByKey(apiKey);
    if (account === undefined) throw new VenueError(-2015, 'No account has this api_key.', 404);
    return account;
  };
  app.post('/deposits', (req) => {
    const body = read(DepositBody, req.body);
    const account = accountOf(body.api_key);
    const units = unitsOf(body.amount);
    if (units === 0n) throw new VenueError(-1100, 'amount must be positive');
    exchange.deposit(account, body.asset, units);
    const { free } = exchange.state.ledger.balance(account.id, body.asset);
    return { asset: body.asset, free: formatPlain(free) };
  });
  app.put('/fees', (req) => {
    const body = read(FeesBody, req.body);
    exchange.setFeeAsset(accountOf(body.api_key), body.asset ?? undefined);
    return { asset: body.asset };
  });
  app.put('/book', (req) => {
    const body = read(BookBody, req.body);
    const spec = specOf(body.symbol);
    const bids = levelsOf(spec, body.bids);
    const asks = levelsOf(spec, body.asks);
    const priceOf = ([ticks]: readonly [number, number]) => ticks;
    if (Math.max(...bids.map(priceOf)) >= Math.min(...asks.map(priceOf)))
      throw new VenueError(-1100, 'the best bid must be below the best ask');
    maker.quote(spec, bids, asks);
    return { symbol: pairOf(spec), bids: bids.length, asks: asks.length };
  });
}

function levelsOf(spec: MarketSpec, levels: readonly (readonly [string, string])[]): [number, number][] {
  return levels.map(([price, size]) => [ticksOf(spec, price), lotsOf(spec, size)]);
}

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { accountByKey, amount, read, unitsOf } from './admin-input.js';
import { formatPlain } from './engine/decimal.js';
import type { Exchange } from './engine/exchange.js';
import { ASSETS } from './engine/symbols.js';
import { VenueError } from './errors.js';

const asset = z.enum(ASSETS as [string, ...string[]]);
const DepositBody = z.strictObject({ api_key: z.string(), asset, amount });
const FeesBody = z.strictObject({ api_key: z.string(), asset: asset.nullable() });
/** Adds the admin calls by which a test controls facts that a market otherwise decides: deposits and fee assets. */
export function addControls(app: FastifyInstance, { exchange }: { readonly exchange: Exchange }): void {
  const accountOf = (apiKey: string) => accountByKey(exchange, apiKey);
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
}

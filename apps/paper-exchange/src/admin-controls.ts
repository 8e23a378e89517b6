import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { accountByKey, amount, read, unitsOf } from './admin-input.js';
import { formatPlain } from './engine/decimal.js';
import type { Exchange } from './engine/exchange.js';
import { SETTLEMENT_ASSET } from './engine/futures/contracts.js';
import { walletOf } from './engine/futures/futures-account.js';
import { ASSETS } from './engine/symbols.js';
import { VenueError } from './errors.js';
import type { FuturesVenue } from './futures-venue.js';

const asset = z.enum(ASSETS as [string, ...string[]]);
const wallet = z.enum(['spot', 'futures']).default('spot');
const DepositBody = z.strictObject({ api_key: z.string(), asset, amount, wallet });
const FeesBody = z.strictObject({ api_key: z.string(), asset: asset.nullable() });
/** Adds the admin calls by which a test controls facts that a market otherwise decides: deposits and fee assets. */
export function addControls(
  app: FastifyInstance,
  { exchange, venue }: { readonly exchange: Exchange; readonly venue: FuturesVenue },
): void {
  const { futures } = venue.context;
  const accountOf = (apiKey: string) => accountByKey(exchange, apiKey);
  app.post('/deposits', (req) => {
    const body = read(DepositBody, req.body);
    const account = accountOf(body.api_key);
    const units = unitsOf(body.amount);
    if (units === 0n) throw new VenueError(-1100, 'amount must be positive');
    if (body.wallet === 'futures') {
      if (body.asset !== SETTLEMENT_ASSET)
        throw new VenueError(-1100, `asset must be ${SETTLEMENT_ASSET} in the futures wallet`);
      const owner = futures.state.account(account.id);
      futures.settings.deposit(owner, units);
      return { asset: body.asset, wallet: formatPlain(walletOf(owner)) };
    }
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

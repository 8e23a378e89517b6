import type { Client } from '@trading-automation/sdk';
import { NotFound, UsageError } from '../failures.js';
import { isNamed } from '../operations/references.js';

/**
 * Resolves a pair id or a symbol such as `BTC/USDT` to a pair id.
 *
 * @throws {NotFound} if no pair has the symbol
 * @throws {UsageError} if several exchanges trade it
 */
export async function pairIdOf(
  client: Pick<Client<'string'>, 'tradePairs'>,
  idOrSymbol: string,
  exchange: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (idOrSymbol.startsWith('tpr_')) return idOrSymbol;
  const query = {
    symbol: idOrSymbol,
    sort: 'exchange',
    order: 'asc',
    limit: 100,
    ...(exchange === undefined ? {} : { exchange }),
  } as const;
  const exchanges = new Map<string, string>();
  for await (const pair of client.tradePairs.list(query, { signal }))
    if (isNamed(pair, idOrSymbol) && !exchanges.has(pair.exchange)) exchanges.set(pair.exchange, pair.id);
  const [[, id] = [], another] = exchanges;
  if (id === undefined)
    throw new NotFound(`The pair ${idOrSymbol} does not exist.`, 'List the pairs with `svc pairs list`.');
  if (another !== undefined)
    throw new UsageError(
      `${idOrSymbol} is traded at several exchanges: ${[...exchanges.keys()].join(', ')}.`,
      'Select one with --exchange.',
    );
  return id;
}

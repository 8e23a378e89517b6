import type { Client } from '@trading-automation/sdk';
import { NotFound, UsageError } from '../failures.js';

/** The id of a pair that is given by its id, or by its symbol: `BTC/USDT`. */
export async function pairIdOf(
  client: Pick<Client<'string'>, 'tradePairs'>,
  given: string,
  exchange: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (given.startsWith('tpr_')) return given;
  const symbol = given.toUpperCase();
  const query = {
    sort: 'symbol',
    order: 'asc',
    limit: 100,
    ...(exchange === undefined ? {} : { exchange }),
  } as const;
  const exchanges = new Map<string, string>();
  for await (const pair of client.tradePairs.list(query, { signal }))
    if (pair.symbol.toUpperCase() === symbol && !exchanges.has(pair.exchange))
      exchanges.set(pair.exchange, pair.id);
  const [[, id] = [], another] = exchanges;
  if (id === undefined)
    throw new NotFound(`There is no pair ${given}.`, 'See which there are: svc pairs list');
  if (another !== undefined)
    throw new UsageError(
      `${given} is traded at ${[...exchanges.keys()].join(', ')}.`,
      'Say which by --exchange.',
    );
  return id;
}

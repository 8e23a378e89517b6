import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { forEachConcurrent, type Loop, startLoop } from './loop.js';

const EVERY_MS = 200;
const BATCH = 50;
/** Longer than any check takes, so that another worker repeats a check only after this worker has died. */
const LEASE_MS = 30_000;
const CONCURRENCY = 8;

/**
 * Starts the scheduled checks of open trades. Orders without a response have a loop of their own: their checks never wait
 * for those of other trades, which wait for the share of background work while copies use up the rest of a limit.
 */
export function startTradeChecks(gateway: ExchangeGateway): readonly Loop[] {
  const { orders, orderReconciler } = gateway;
  const start = (claim: (onError: (error: unknown) => void) => Promise<readonly string[]>) => {
    const onError = gateway.errorLogger('trade_check.failed', 'Could not check a trade.');
    return startLoop(
      EVERY_MS,
      async () =>
        forEachConcurrent(await claim(onError), CONCURRENCY, (id) => orderReconciler.checkTrade(id), onError),
      gateway.errorLogger('trade_check.failed', 'Could not check open trades.'),
    );
  };
  return [
    start(() => orders.claimUnanswered(LEASE_MS, BATCH)),
    start((onError) => orders.claimChecks(LEASE_MS, BATCH, onError)),
  ];
}

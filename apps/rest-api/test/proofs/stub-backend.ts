/** Stubs of the trading worker and the webhook dispatcher, which respond immediately to the calls of the API. */
import type { Platform } from '@trading-automation/core';
import { serveWorkerCalls } from '@trading-automation/core/exchange-accounts';
import { WebhookTestsService } from '@trading-automation/core/webhooks';
import type { TestRestApi } from '../test-rest-api.js';

export interface StubBackend {
  readonly platform: Platform;
  stop(): Promise<void>;
}

/** The venue's response to any credentials: they are valid and belong to one account. */
export const CREDENTIALS_REPORT = {
  tradingTypes: ['spot'],
  canTrade: true,
  canWithdraw: false,
  venueAccountId: 'venue-account',
} as const;

const TICKER = {
  last: '60000',
  bid: '60000',
  ask: '60000.01',
  open: '59000',
  high: '61000',
  low: '58000',
  volume: '12.5',
  quoteVolume: '750000',
} as const;

/** Starts the stubs. `test` is the response of the venue to exchange credentials; by default they are valid. */
export async function startStubBackend(
  api: TestRestApi,
  { test = async () => CREDENTIALS_REPORT as never } = {},
): Promise<StubBackend> {
  const platform = await api.openSecondPlatform();
  const onError = (error: unknown) => {
    if (platform.database.isInitialized) throw error;
  };
  const calls = [
    serveWorkerCalls(
      platform,
      {
        'exchange_account.test': test,
        'exchange_account.sync': async () => null,
        'trade_pair.ticker': async () => ({ ...TICKER, as_of: new Date().toISOString() }),
        'trade_pair.candles': async ({ from }) => ({
          candles: [[from, '1', '3', '0.5', '2', '10']],
          as_of: new Date().toISOString(),
        }),
        'trade_pair.order_book': async () => ({
          bids: [['60000', '1']],
          asks: [['60000.01', '2.5']],
          as_of: new Date().toISOString(),
        }),
        'position.set_leverage': async ({ leverage, margin_mode }) => ({
          leverage,
          marginMode: margin_mode ?? 'CROSS',
          maxLeverage: '125',
        }),
        'trade.cancel': async ({ trade_id }) => {
          await platform.database.query(
            `UPDATE trades SET status = 'CANCELLED', sub_status = NULL, cancel_reason = 'USER', version = version + 1,
             cancelled_at = clock_timestamp() WHERE id = $1`,
            [trade_id],
          );
          return null;
        },
      },
      onError,
    ),
    new WebhookTestsService(platform).serve({
      send: async () => ({ statusCode: 200, responseTimeMs: 1 }),
      onError,
    }),
  ];
  return {
    platform,
    stop: async () => {
      await Promise.all(calls.map((call) => call.stop()));
    },
  };
}

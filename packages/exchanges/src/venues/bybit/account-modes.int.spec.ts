import type { TradingType } from '@trading-automation/contracts';
import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { ScriptedServer } from '../../../conformance/scripted/scripted-server.js';
import { createVenue, venueConfig } from '../../ccxt/index.js';
import { dialect } from './dialect/dialect.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

describe('the margin modes of accounts at Bybit', () => {
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());

  /** Returns what is reported about an account with a margin mode. */
  const unsupportedOf = async (type: TradingType, marginMode: string) => {
    const routes = dialect.routes.map((route) =>
      route.path === '/v5/account/info'
        ? { ...route, answer: (context: never) => ({ ...(route.answer(context) as object), marginMode }) }
        : route,
    );
    const server = await ScriptedServer.start({ ...dialect, routes }, recordings, type);
    const config = { id: 'bybit', name: 'Bybit', adapter: 'bybit', tradingTypes: [type], url: server.url };
    const venue = createVenue(venueConfig.parse(config));
    close = async () => {
      await venue.close();
      await server.close();
      expect(server.problems).toEqual([]);
    };
    const account = server.exchange.openAccount({ USDT: 10_000 });
    return (await venue.connect(account, type).testCredentials()).unsupported;
  };

  it.each([
    ['spot', 'REGULAR_MARGIN', undefined],
    ['margin', 'REGULAR_MARGIN', undefined],
    ['perpetual', 'REGULAR_MARGIN', undefined],
    ['spot', 'ISOLATED_MARGIN', undefined],
    ['margin', 'ISOLATED_MARGIN', 'ACCOUNT_TYPE'],
    ['perpetual', 'ISOLATED_MARGIN', 'ACCOUNT_TYPE'],
    ['spot', 'PORTFOLIO_MARGIN', 'PORTFOLIO_MARGIN'],
    ['perpetual', 'PORTFOLIO_MARGIN', 'PORTFOLIO_MARGIN'],
  ] as const)('%s with %s: %s', async (type, marginMode, expected) => {
    expect(await unsupportedOf(type, marginMode)).toBe(expected);
  });
});

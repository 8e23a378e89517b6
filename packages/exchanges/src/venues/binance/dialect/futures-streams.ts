/** The streams of USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams */
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type {
  Account,
  BookChange,
  ExchangeEvent,
  ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { idOf } from './common.js';
import { listenKeyOf } from './futures-account-routes.js';
import { bookNumberOf } from './futures-market-routes.js';
import { ASSETS, streamedBalances, streamedOrder, streamedPosition } from './futures-views.js';
import { miniTicker, textsOf } from './market-data.js';
import { MarketSession } from './market-session.js';

/** What was recorded is wrapped with the name of the stream. */
const recorded = (name: string, documented: readonly string[] = []): Source => ({
  recordings: [`Subscriptions/UsdFutures/${name}#2`],
  part: 'data',
  documented,
  page: 'https://developers.binance.com/docs/derivatives/usds-margined-futures/user-data-streams',
});

const SOURCES = {
  // Two fields are those of trailing stop orders; a message without a fee lacks two others.
  order: recorded('OrderUpdate', ['o.AP', 'o.cr', 'o.N', 'o.n']),
  account: recorded('AccountUpdate'),
  book: recorded('Book'),
  price: recorded('MiniTicker'),
} as const satisfies Readonly<Record<string, Source>>;

const PERPETUAL = ['perpetual'] as const;

export const FUTURES_CHANNELS: Dialect['channels'] = [
  {
    name: 'ORDER_TRADE_UPDATE',
    capability: 'stream of orders',
    tradingTypes: PERPETUAL,
    source: SOURCES.order,
  },
  {
    name: 'ORDER_TRADE_UPDATE',
    capability: 'stream of fills',
    tradingTypes: PERPETUAL,
    source: SOURCES.order,
  },
  {
    name: 'ACCOUNT_UPDATE',
    capability: 'stream of balances',
    tradingTypes: PERPETUAL,
    source: SOURCES.account,
  },
  {
    name: 'ACCOUNT_UPDATE',
    capability: 'stream of positions',
    tradingTypes: PERPETUAL,
    source: SOURCES.account,
  },
  { name: '@depth@100ms', capability: 'stream of books', tradingTypes: PERPETUAL, source: SOURCES.book },
  { name: '@miniTicker', capability: 'stream of prices', tradingTypes: PERPETUAL, source: SOURCES.price },
];

/** An account receives the events that its address names. */
const query = z.strictObject({
  listenKey: z.string(),
  events: z.string().transform((names) => new Set(names.split('/'))),
});

/** Books have another address than prices, and accounts a third. */
export function openFuturesStream(connection: StreamConnection): StreamSession | undefined {
  switch (connection.path) {
    case '/private/ws':
      return openAccount(connection);
    case '/public/ws':
      return new BookSession(connection, '@depth@100ms');
    case '/market/ws':
      return new PriceSession(connection, '@miniTicker');
    default:
      return undefined;
  }
}

function openAccount(connection: StreamConnection): StreamSession | undefined {
  const { listenKey, events } = query.parse(Object.fromEntries(new URLSearchParams(connection.query)));
  const owner = connection.exchange.accounts.find(({ number }) => listenKeyOf(number) === listenKey);
  return owner && new AccountSession(connection, owner, events);
}

class AccountSession implements StreamSession {
  constructor(
    private readonly connection: StreamConnection,
    private readonly owner: Account,
    private readonly events: ReadonlySet<string>,
  ) {}

  onMessage(text: string): void {
    throw new Error(`the stream of an account takes no message: ${text}`);
  }

  onEvent(event: ExchangeEvent): void {
    const { owner } = this;
    const { exchange } = this.connection;
    if (event.kind === 'order' && event.order.account === owner)
      this.#send(streamedOrder(event.order, event.fill), SOURCES.order);
    if (event.kind === 'balances' && event.account === owner) {
      const assets = ASSETS.filter((asset) => event.assets.includes(asset));
      this.#send(streamedBalances(exchange, owner, assets), SOURCES.account);
    }
    if (event.kind === 'position' && event.account === owner)
      this.#send(streamedPosition(exchange, owner, event.position), SOURCES.account);
  }

  #send(message: { readonly e: string }, source: Source): void {
    if (this.events.has(message.e)) this.connection.send(message, source);
  }
}

class BookSession extends MarketSession {
  override onBook(market: ScriptedMarket, { bids, asks, sequence }: BookChange): void {
    const at = this.connection.exchange.now();
    const sides = { b: textsOf(bids), a: textsOf(asks) };
    const u = bookNumberOf(sequence);
    // Several changes are in one message, and numbers are missing between two messages.
    const numbers = { U: u - 3, u, pu: bookNumberOf(sequence - 1) };
    this.connection.send(
      { e: 'depthUpdate', E: at, T: at, s: idOf(market), ...numbers, ...sides },
      SOURCES.book,
    );
  }
}

class PriceSession extends MarketSession {
  override onTrade(market: ScriptedMarket): void {
    this.connection.send(miniTicker(this.connection.exchange, market), SOURCES.price);
  }
}

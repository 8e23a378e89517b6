/**
 * A small exchange that plays every venue in the conformance tests. It matches orders by price and time, and keeps
 * balances, loans, positions and funding. A dialect gives it the wire format of a venue.
 */
import { Book } from './books.js';
import {
  type Account,
  type Cause,
  type Exact,
  type ExchangeEvent,
  exact,
  type Fill,
  type Funding,
  type FundingRate,
  type Interest,
  type Order,
  type OrderTerms,
  Refusal,
  type ScriptedMarket,
} from './model.js';
import { checkRules, wouldTake } from './order-rules.js';
import { addToPosition, leverageOf, type Margin, marginOf, positionOf } from './positions.js';
import { credit, deduct, lock, repay, spendLocked, unlock, walletOf } from './wallets.js';

export interface ExchangeSettings {
  readonly markets: readonly ScriptedMarket[];
  /** The currency of fees on spot: what the order receives, or the quote currency. */
  readonly spotFeeIn: 'RECEIVED' | 'QUOTE';
  /** Whether a client order id may be used again once its order has ended, or never. */
  readonly clientOrderIds: 'UNIQUE_AMONG_OPEN' | 'UNIQUE_FOR_EVER' | 'RETURNS_FIRST' | 'NOT_UNIQUE';
  /** What becomes of a post-only order that would take liquidity. `ENDS`: it ends, and the exchange does not say why. */
  readonly postOnlyThatTakes: 'REFUSED' | 'EXPIRES' | 'ENDS';
  /** Whether the exchange has FOK orders. Default: true. */
  readonly hasFok?: boolean | undefined;
  /** Whether interest is owed until it is paid, or taken from the balance at once. Default: `OWED`. */
  readonly interest?: 'OWED' | 'DEDUCTED' | undefined;
  /** Returns the credentials of the account with this number. */
  credentialsOf(number: number): Pick<Account, 'apiKey' | 'apiSecret' | 'passphrase'>;
}

const HOUR_MS = 3_600_000;

export class ScriptedExchange {
  readonly orders: Order[] = [];
  readonly fills: Fill[] = [];
  readonly fundings: Funding[] = [];
  readonly interests: Interest[] = [];
  readonly fundingRates: FundingRate[] = [];
  readonly accounts: Account[] = [];
  readonly #books: ReadonlyMap<string, Book>;
  readonly #markPrices = new Map<string, Exact>();
  readonly #listeners = new Set<(event: ExchangeEvent) => void>();
  /** The counterparty of changes that the exchange forces. */
  readonly #insurance: Account;

  constructor(readonly settings: ExchangeSettings) {
    this.#books = new Map(settings.markets.map((market) => [market.symbol, new Book(market)]));
    this.#insurance = newAccount(0, { apiKey: '', apiSecret: '', passphrase: undefined });
  }

  get markets(): readonly ScriptedMarket[] {
    return this.settings.markets;
  }

  now(): number {
    return Date.now();
  }

  openAccount(balances: Readonly<Record<string, number>>): Account {
    const number = this.accounts.length + 1;
    const account = newAccount(number, this.settings.credentialsOf(number));
    for (const [asset, amount] of Object.entries(balances)) credit(account, asset, exact(amount));
    this.accounts.push(account);
    return account;
  }

  /** Calls a listener for every change until the returned function is called. */
  onEvent(listener: (event: ExchangeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  bookOf({ symbol }: ScriptedMarket): Book {
    const book = this.#books.get(symbol);
    if (book === undefined) throw new Refusal('UNKNOWN_SYMBOL');
    return book;
  }

  /** The mark price of a market: the one that a test set, or else the last price. */
  markPriceOf(market: ScriptedMarket): Exact {
    return this.#markPrices.get(market.symbol) ?? this.bookOf(market).lastPrice ?? exact(0);
  }

  setMarkPrice(market: ScriptedMarket, price: string): void {
    this.#markPrices.set(market.symbol, exact(price));
    this.#emit({ kind: 'mark price', market });
  }

  marginOf(account: Account, settle: string): Margin {
    const openNotionals = this.openOrdersOf(account)
      .filter(({ market, reduceOnly }) => market.kind === 'PERPETUAL' && reduceOnly !== true)
      .map(
        (order) =>
          [
            order.market,
            order.amount.minus(order.filled).times(order.price ?? order.stopPrice ?? 0),
          ] as const,
      );
    return marginOf(account, settle, (market) => this.markPriceOf(market), openNotionals);
  }

  openOrdersOf(account: Account): readonly Order[] {
    return this.orders.filter((order) => order.account === account && isOpen(order));
  }

  /** @throws {Refusal} if the order breaks a rule; nothing has changed then */
  place(account: Account, terms: OrderTerms): Order {
    if (!account.canTrade) throw new Refusal('NO_PERMISSION');
    const first = this.#orderWithIdOf(account, terms);
    if (first !== undefined) {
      if (this.settings.clientOrderIds === 'RETURNS_FIRST') return first;
      throw new Refusal('DUPLICATE_CLIENT_ORDER_ID');
    }
    const book = this.bookOf(terms.market);
    checkRules(terms, book);
    const expires = wouldTake(terms, book);
    if (expires && this.settings.postOnlyThatTakes === 'REFUSED') throw new Refusal('WOULD_TAKE');
    const order = this.#admit(account, terms);
    this.orders.push(order);
    if (order.status === 'WAITING') this.#emitOrder(order);
    else if (expires) this.#end(order, 'EXPIRED');
    else this.#changeBook(book, () => this.#execute(order, book));
    this.#triggerStops(book);
    return order;
  }

  cancel(order: Order): void {
    if (!isOpen(order)) throw new Refusal('UNKNOWN_ORDER');
    const book = this.bookOf(order.market);
    this.#changeBook(book, () => {
      book.remove(order);
      this.#end(order, 'CANCELLED');
    });
  }

  /** Changes the leverage of an account in a market. */
  setLeverage(account: Account, market: ScriptedMarket, leverage: string): void {
    if (exact(leverage).gt(market.maxLeverage) || exact(leverage).lt(1)) throw new Refusal('MAX_LEVERAGE');
    leverageOf(account, market).leverage = exact(leverage);
  }

  setMarginMode(account: Account, market: ScriptedMarket, marginMode: 'CROSS' | 'ISOLATED'): void {
    const isInUse =
      !positionOf(account, market).size.isZero() ||
      this.openOrdersOf(account).some((order) => order.market === market);
    if (isInUse) throw new Refusal('OPEN_POSITION');
    leverageOf(account, market).marginMode = marginMode;
  }

  /** Pays funding: longs pay `rate` of their notional at the mark price to shorts. */
  payFunding(market: ScriptedMarket, rate: string): void {
    // Funding is paid at the start of an hour.
    const at = Math.floor(this.now() / HOUR_MS) * HOUR_MS;
    const markPrice = this.markPriceOf(market);
    this.fundingRates.push({ market, rate: exact(rate), markPrice, at });
    for (const account of this.accounts) {
      const { size } = positionOf(account, market);
      if (size.isZero()) continue;
      const amount = size.times(markPrice).times(rate).negated();
      credit(account, market.quote, amount);
      const number = this.fundings.length + 1;
      this.fundings.push({ number, account, market, amount, rate: exact(rate), markPrice, size, at });
      this.#emit({ kind: 'balances', account, assets: [market.quote] });
    }
  }

  /** Charges interest on what accounts have borrowed of an asset. */
  chargeInterest(asset: string, rate: string): void {
    for (const account of this.accounts) {
      const wallet = walletOf(account, asset);
      if (wallet.borrowed.isZero()) continue;
      const principal = wallet.borrowed;
      const amount = principal.times(rate);
      if (this.settings.interest === 'DEDUCTED') deduct(account, asset, amount);
      else wallet.interest = wallet.interest.plus(amount);
      const number = this.interests.length + 1;
      const at = this.now();
      this.interests.push({ number, account, asset, amount, rate: exact(rate), principal, at });
    }
  }

  /** Closes a part of a position against the exchange's insurance fund. */
  forceClose(
    account: Account,
    market: ScriptedMarket,
    { amount, price, cause }: { readonly amount: string; readonly price: string; readonly cause: Cause },
  ): Order {
    const isLong = positionOf(account, market).size.isPositive();
    const terms: OrderTerms = {
      market,
      clientOrderId: '',
      side: isLong ? 'SELL' : 'BUY',
      type: 'LIMIT',
      timeInForce: 'IOC',
      amount: exact(amount),
      price: exact(price),
      reduceOnly: true,
    };
    const order = this.#newOrder(account, terms, cause);
    this.orders.push(order);
    const other = this.#newOrder(this.#insurance, { ...terms, side: isLong ? 'BUY' : 'SELL' });
    this.#match(other, order, exact(amount));
    return order;
  }

  /** Returns an order whose client order id may not be used again yet. */
  #orderWithIdOf(account: Account, { clientOrderId }: OrderTerms): Order | undefined {
    const { clientOrderIds } = this.settings;
    if (clientOrderIds === 'NOT_UNIQUE' || clientOrderId === '') return undefined;
    return this.orders.find(
      (order) =>
        order.account === account &&
        order.clientOrderId === clientOrderId &&
        (clientOrderIds !== 'UNIQUE_AMONG_OPEN' || isOpen(order)),
    );
  }

  #newOrder(account: Account, terms: OrderTerms, cause?: Cause): Order {
    const at = this.now();
    return {
      ...terms,
      number: this.orders.length + 1,
      account,
      cause,
      status: terms.stopPrice === undefined ? 'OPEN' : 'WAITING',
      filled: exact(0),
      cost: exact(0),
      locked: exact(0),
      createdAt: at,
      updatedAt: at,
    };
  }

  /** Creates an order and locks what it may spend. */
  #admit(account: Account, terms: OrderTerms): Order {
    const order = this.#newOrder(account, terms);
    if (terms.market.kind === 'PERPETUAL') {
      this.#checkMargin(order);
      return order;
    }
    const needed = this.#neededOf(order);
    lock(account, assetSpentBy(order), needed, terms.margin?.borrows === true);
    order.locked = needed;
    if (!needed.isZero()) this.#emit({ kind: 'balances', account, assets: [assetSpentBy(order)] });
    return order;
  }

  #checkMargin({ account, market, amount, price, side, reduceOnly }: Order): void {
    const { size } = positionOf(account, market);
    const reduces = side === 'SELL' ? size.isPositive() && !size.isZero() : size.isNegative();
    if (reduceOnly === true && !reduces) throw new Refusal('REDUCE_ONLY');
    if (reduceOnly === true) return;
    const increase = reduces ? amount.minus(size.abs()) : amount;
    if (increase.lte(0)) return;
    const book = this.bookOf(market);
    const [best] = book.ordersOf(side === 'BUY' ? 'SELL' : 'BUY');
    const notional = increase.times(price ?? best?.price ?? this.markPriceOf(market));
    const required = notional.div(leverageOf(account, market).leverage).plus(notional.times(market.takerFee));
    if (required.gt(this.marginOf(account, market.quote).available)) throw new Refusal('INSUFFICIENT_MARGIN');
  }

  /** What an order of spot may spend. */
  #neededOf(order: Order): Exact {
    const { market, side, amount, price, stopPrice } = order;
    if (side === 'SELL') return amount;
    const feeFactor = this.settings.spotFeeIn === 'QUOTE' ? exact(1).plus(market.takerFee) : exact(1);
    const limit = price ?? stopPrice;
    if (limit !== undefined) return amount.times(limit).times(feeFactor);
    let [missing, cost] = [amount, exact(0)];
    for (const offer of this.bookOf(market).ordersOf('SELL')) {
      const available = offer.amount.minus(offer.filled);
      const taken = missing.lt(available) ? missing : available;
      cost = cost.plus(taken.times(offer.price ?? 0));
      missing = missing.minus(taken);
    }
    return cost.times(feeFactor);
  }

  /** Executes the orders whose stop price the last price has reached, until no more are reached. */
  #triggerStops(book: Book): void {
    const isReached = ({ market, status, side, stopPrice }: Order) =>
      market === book.market &&
      status === 'WAITING' &&
      stopPrice !== undefined &&
      book.lastPrice !== undefined &&
      (side === 'BUY' ? book.lastPrice.gte(stopPrice) : book.lastPrice.lte(stopPrice));
    for (let order = this.orders.find(isReached); order !== undefined; order = this.orders.find(isReached)) {
      const reached = order;
      reached.status = 'OPEN';
      this.#changeBook(book, () => this.#execute(reached, book));
    }
  }

  /** Matches a new order, then lets its remainder rest or expire. */
  #execute(order: Order, book: Book): void {
    const opposite = order.side === 'BUY' ? 'SELL' : 'BUY';
    const crosses = ({ price = exact(0) }: Order) =>
      order.price === undefined || (order.side === 'BUY' ? price.lte(order.price) : price.gte(order.price));
    const offers = book.ordersOf(opposite).filter(crosses);
    const available = offers.reduce((sum, each) => sum.plus(each.amount.minus(each.filled)), exact(0));
    if (order.timeInForce === 'FOK' && available.lt(order.amount)) {
      this.#end(order, 'EXPIRED');
      return;
    }
    if (offers.length === 0 && order.type === 'LIMIT' && restsOf(order)) this.#emitOrder(order);
    for (const offer of offers) {
      const remaining = order.amount.minus(order.filled);
      if (remaining.isZero()) break;
      const offered = offer.amount.minus(offer.filled);
      this.#match(offer, order, remaining.lt(offered) ? remaining : offered);
      if (offer.status === 'FILLED') book.remove(offer);
    }
    if (order.filled.eq(order.amount)) return;
    if (restsOf(order)) book.add(order);
    else this.#end(order, 'EXPIRED');
  }

  /** Executes one trade at the price of the maker. */
  #match(maker: Order, taker: Order, amount: Exact): void {
    const price = maker.price ?? taker.price ?? exact(0);
    const book = this.bookOf(taker.market);
    const at = this.now();
    book.lastPrice = price;
    book.trades.push({ price, amount, side: taker.side, at });
    for (const order of [maker, taker]) this.#fill(order, price, amount, order === maker);
    this.#emit({ kind: 'trade', market: taker.market, price, amount });
  }

  #fill(order: Order, price: Exact, amount: Exact, isMaker: boolean): void {
    const { account, market } = order;
    order.filled = order.filled.plus(amount);
    order.cost = order.cost.plus(amount.times(price));
    order.updatedAt = this.now();
    if (order.filled.eq(order.amount)) order.status = 'FILLED';
    const result =
      market.kind === 'SPOT'
        ? this.#settleSpot(order, price, amount, isMaker)
        : this.#settlePerpetual(order, price, amount, isMaker);
    if (account === this.#insurance) return;
    const number = this.fills.length + 1;
    const fill: Fill = { number, order, price, amount, isMaker, at: order.updatedAt, ...result };
    this.fills.push(fill);
    this.#emit({ kind: 'order', order, fill });
    const assets = market.kind === 'SPOT' ? [market.base, market.quote] : [market.quote];
    this.#emit({ kind: 'balances', account, assets });
    if (market.kind === 'PERPETUAL')
      this.#emit({ kind: 'position', account, position: positionOf(account, market) });
  }

  #settleSpot(order: Order, price: Exact, amount: Exact, isMaker: boolean): Pick<Fill, 'fee' | 'realized'> {
    const { account, market, side } = order;
    const rate = isMaker ? market.makerFee : market.takerFee;
    const cost = amount.times(price);
    const received = side === 'BUY' ? amount : cost;
    const receivedAsset = side === 'BUY' ? market.base : market.quote;
    const isFeeInQuote = this.settings.spotFeeIn === 'QUOTE';
    const fee = isFeeInQuote
      ? { amount: cost.times(rate), currency: market.quote }
      : { amount: received.times(rate), currency: receivedAsset };
    const spent = side === 'SELL' ? amount : isFeeInQuote ? cost.plus(fee.amount) : cost;
    spendLocked(account, assetSpentBy(order), spent);
    order.locked = order.locked.minus(spent);
    const isDeducted = fee.currency === receivedAsset;
    credit(account, receivedAsset, isDeducted ? received.minus(fee.amount) : received);
    if (order.status === 'FILLED') this.#releaseLocked(order);
    if (order.margin?.repays === true) repay(account, receivedAsset);
    return { fee, realized: exact(0) };
  }

  #settlePerpetual(
    order: Order,
    price: Exact,
    amount: Exact,
    isMaker: boolean,
  ): Pick<Fill, 'fee' | 'realized'> {
    const { account, market, side } = order;
    const change = side === 'BUY' ? amount : amount.negated();
    const realized = addToPosition(positionOf(account, market), change, price, this.now());
    const rate = order.cause === undefined ? (isMaker ? market.makerFee : market.takerFee) : '0';
    const fee = amount.times(price).times(rate);
    credit(account, market.quote, realized.minus(fee));
    return { fee: { amount: fee, currency: market.quote }, realized };
  }

  #end(order: Order, status: 'CANCELLED' | 'EXPIRED'): void {
    order.status = status;
    order.updatedAt = this.now();
    this.#releaseLocked(order);
    this.#emitOrder(order);
    if (order.market.kind === 'SPOT')
      this.#emit({ kind: 'balances', account: order.account, assets: [assetSpentBy(order)] });
  }

  #releaseLocked(order: Order): void {
    if (order.market.kind === 'PERPETUAL') return;
    unlock(order.account, assetSpentBy(order), order.locked);
    order.locked = exact(0);
  }

  #changeBook(book: Book, work: () => void): void {
    const change = book.changeOf(work);
    if (change !== undefined) this.#emit({ kind: 'book', market: book.market, change });
  }

  #emitOrder(order: Order): void {
    this.#emit({ kind: 'order', order });
  }

  #emit(event: ExchangeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function newAccount(
  number: number,
  credentials: Pick<Account, 'apiKey' | 'apiSecret' | 'passphrase'>,
): Account {
  return {
    ...credentials,
    number,
    wallets: new Map(),
    positions: new Map(),
    leverages: new Map(),
    canTrade: true,
    canWithdraw: false,
    isHedged: false,
    kind: 'NORMAL',
  };
}

export const isOpen = ({ status }: Order): boolean => status === 'OPEN' || status === 'WAITING';

/** Whether the remainder of an order stays in the book. */
const restsOf = ({ type, timeInForce }: OrderTerms): boolean =>
  type === 'LIMIT' && (timeInForce === 'GTC' || timeInForce === 'POST_ONLY');

const assetSpentBy = ({ market, side }: OrderTerms): string => (side === 'BUY' ? market.quote : market.base);

/**
 * The streams of an exchange's accounts, several on each connection.
 *
 * An exchange limits how many connections an address may open in a while; ten thousand accounts come back in minutes
 * only if they share some. What ends a connection ends every stream on it, each with its own word to its handler.
 */
import type { TradingType } from '@trading-automation/contracts';
import { type AccountStream, type AccountStreamHandler, ExchangeError } from '../../port.js';
import type { AccountStreamProtocol, StreamMessage, VenueSession } from '../adapter.js';
import { type CallAccount, runAsAccount } from '../call.js';
import type { CcxtClient } from '../ccxt-client.js';
import { failure, MalformedResponse } from '../failures.js';
import type { Sockets, StreamSocket } from './sockets.js';

/** What streams need of their exchange. */
export interface StreamVenue {
  readonly sockets: Sockets;
  /** Within which a stream has to be there. */
  readonly startTimeoutMs: number;
  preparedSession(tradingType: TradingType): Promise<VenueSession>;
  acquireBudget(accountKey: string, weight: number): Promise<void>;
  explainRefusal(library: CcxtClient, status: number, refused: unknown): ExchangeError;
}

export class AccountStreams {
  readonly #connections = new Set<SharedConnection>();

  constructor(
    private readonly venue: StreamVenue,
    private readonly dialect: AccountStreamProtocol,
  ) {}

  open(account: CallAccount, tradingType: TradingType, handler: AccountStreamHandler): AccountStream {
    const stream = new AccountSubscription(account, handler, this.venue.startTimeoutMs);
    this.#start(stream, tradingType).catch((error: unknown) => stream.lose(asExchangeError(error)));
    return { close: () => stream.close() };
  }

  async #start(stream: AccountSubscription, tradingType: TradingType): Promise<void> {
    const { library } = await this.venue.preparedSession(tradingType);
    await this.venue.acquireBudget(stream.account.key, this.dialect.weight);
    if (!stream.isOver) this.#connectionFor(library).add(stream);
  }

  #connectionFor(library: CcxtClient): SharedConnection {
    for (const connection of this.#connections)
      if (connection.library === library && connection.size < this.dialect.accountsPerConnection)
        return connection;
    const connection: SharedConnection = new SharedConnection(this.venue, this.dialect, library, () =>
      this.#connections.delete(connection),
    );
    this.#connections.add(connection);
    return connection;
  }
}

/** One account's stream, from its beginning to its one end. */
class AccountSubscription {
  isOver = false;
  #leave: (() => Promise<void>) | undefined;
  readonly #deadline: NodeJS.Timeout;

  constructor(
    readonly account: CallAccount,
    readonly handler: AccountStreamHandler,
    beginWithinMs: number,
  ) {
    this.#deadline = setTimeout(() => this.#miss(), beginWithinMs);
  }

  connected(): void {
    clearTimeout(this.#deadline);
    this.handler.onConnected();
  }

  joined(leave: () => Promise<void>): void {
    this.#leave = leave;
  }

  /** Ends it: the handler hears of it, and of nothing more. What the handler throws then can change nothing. */
  lose(error: ExchangeError): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#deadline);
    try {
      this.handler.onLost(error);
    } catch {
      // It is the last call in any case.
    }
  }

  async close(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#deadline);
    await this.#leave?.();
  }

  #miss(): void {
    this.lose(failure(['retryable', 'no_answer']));
    void this.#leave?.();
  }
}

class SharedConnection {
  readonly #socket: StreamSocket;
  /** Asked for, by request. */
  readonly #asked = new Map<string, AccountSubscription>();
  /** Granted, by the exchange's id of the stream. */
  readonly #granted = new Map<string, AccountSubscription>();
  /** Waiting for the connection to be there. */
  readonly #early = new Set<AccountSubscription>();
  #isOpen = false;
  #requests = 0;

  constructor(
    private readonly venue: StreamVenue,
    private readonly dialect: AccountStreamProtocol,
    readonly library: CcxtClient,
    private readonly onGone: () => void,
  ) {
    this.#socket = venue.sockets.connect(dialect.url(library), {
      onOpen: () => this.#begin(),
      onMessage: (message) => this.#receive(message),
      onClosed: (error) => this.#end(error),
    });
  }

  get size(): number {
    return this.#early.size + this.#asked.size + this.#granted.size;
  }

  add(stream: AccountSubscription): void {
    stream.joined(() => this.#remove(stream));
    if (this.#isOpen) this.#ask(stream);
    else this.#early.add(stream);
  }

  #begin(): void {
    this.#isOpen = true;
    for (const stream of this.#early) this.#ask(stream);
    this.#early.clear();
  }

  #ask(stream: AccountSubscription): void {
    const id = this.#nextRequest();
    try {
      const request = runAsAccount(stream.account, () => this.dialect.subscribe(this.library, id));
      this.#asked.set(id, stream);
      this.#socket.send(request);
    } catch {
      // A secret that isn't of the form that the exchange's signature needs.
      this.#drop(stream, failure(['fatal', 'credentials_rejected']));
    }
  }

  #receive(message: unknown): void {
    const told = this.dialect.routeMessage(message);
    if (told?.to === 'stream') this.#dispatch(told.id, told.event);
    else if (told !== undefined) this.#answer(told);
  }

  #answer(told: Extract<StreamMessage, { to: 'request' }>): void {
    const stream = this.#asked.get(told.id);
    if (stream === undefined) return;
    this.#asked.delete(told.id);
    if ('refused' in told) {
      this.#drop(stream, this.venue.explainRefusal(this.library, told.status, told.refused));
    } else if (stream.isOver) {
      this.#unsubscribe(told.streamId);
    } else {
      this.#granted.set(told.streamId, stream);
      this.#guard(told.streamId, stream, () => stream.connected());
    }
  }

  #dispatch(streamId: string, event: unknown): void {
    const stream = this.#granted.get(streamId);
    if (stream === undefined || stream.isOver) return;
    this.#guard(streamId, stream, () => {
      const told = this.dialect.read(this.library, event);
      if (told === undefined) return;
      if (told.kind === 'order') stream.handler.onOrder(told.order, told.fills);
      else if (told.kind === 'balances') stream.handler.onBalances(told.balances);
      else this.#leave(streamId, stream, failure(['retryable', 'unreachable']));
    });
  }

  /** What goes wrong with one account's events ends its stream, and nobody else's. */
  #guard(streamId: string, stream: AccountSubscription, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#leave(streamId, stream, asExchangeError(error));
    }
  }

  #leave(streamId: string, stream: AccountSubscription, error: ExchangeError): void {
    this.#unsubscribe(streamId);
    this.#drop(stream, error);
  }

  #drop(stream: AccountSubscription, error: ExchangeError): void {
    stream.lose(error);
    void this.#closeIfIdle();
  }

  #remove(stream: AccountSubscription): Promise<void> {
    this.#early.delete(stream);
    for (const [streamId, granted] of this.#granted) if (granted === stream) this.#unsubscribe(streamId);
    return this.#closeIfIdle();
  }

  #unsubscribe(streamId: string): void {
    this.#granted.delete(streamId);
    this.#socket.send(this.dialect.unsubscribe(streamId, this.#nextRequest()));
  }

  /** Streams that are over but still asked for are nobody's. */
  async #closeIfIdle(): Promise<void> {
    const isInUse = [...this.#early, ...this.#asked.values(), ...this.#granted.values()].some(
      ({ isOver }) => !isOver,
    );
    if (!isInUse) await this.#socket.close();
  }

  #end(error: ExchangeError): void {
    this.onGone();
    const streams = [...this.#early, ...this.#asked.values(), ...this.#granted.values()];
    this.#early.clear();
    this.#asked.clear();
    this.#granted.clear();
    for (const stream of streams) stream.lose(error);
  }

  #nextRequest(): string {
    this.#requests += 1;
    return String(this.#requests);
  }
}

function asExchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const detail = error instanceof MalformedResponse ? error.message : undefined;
  return failure(['retryable', 'bad_answer'], {
    type: error instanceof Error ? error.name : typeof error,
    detail,
  });
}

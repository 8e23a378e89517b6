/**
 * The account streams of an exchange, several on each connection.
 *
 * An exchange limits how many connections an IP address may open in a period. Ten thousand accounts reconnect within
 * minutes only if they share connections. When a connection ends, every stream on it ends and each handler is
 * notified.
 */
import type { AccountStreamHandler, ExchangeError, VenueStream } from '../../port.js';
import { type CallAccount, runAsAccount } from '../call.js';
import type { CcxtClient } from '../ccxt-client.js';
import type { SharedStreamProtocol, StreamMessage, VenueSession } from '../declaration.js';
import { failure } from '../failures.js';
import { AccountSubscription, asExchangeError } from './account-subscription.js';
import type { Sockets, StreamSocket } from './sockets.js';

/** Opens the streams of accounts. */
export interface AccountStreams {
  open(account: CallAccount, handler: AccountStreamHandler): VenueStream;
}

/** The members of a segment that account streams use. */
export interface StreamSegment {
  readonly sockets: Sockets;
  /** The time within which a stream must be connected. */
  readonly startTimeoutMs: number;
  preparedSession(): Promise<VenueSession>;
  acquireBudget(account: CallAccount, weight: number): Promise<void>;
  classifyRejection(ccxt: CcxtClient, status: number, rejection: unknown): ExchangeError;
}

export class SharedAccountStreams implements AccountStreams {
  readonly #connections = new Set<SharedConnection>();

  constructor(
    private readonly segment: StreamSegment,
    private readonly protocol: SharedStreamProtocol,
  ) {}

  open(account: CallAccount, handler: AccountStreamHandler): VenueStream {
    const stream = new AccountSubscription(account, handler, this.segment.startTimeoutMs);
    this.#start(stream).catch((error: unknown) => stream.lose(asExchangeError(error)));
    return { close: () => stream.close() };
  }

  async #start(stream: AccountSubscription): Promise<void> {
    const { ccxt } = await this.segment.preparedSession();
    await this.segment.acquireBudget(stream.account, this.protocol.weight);
    if (!stream.hasEnded) this.#connectionFor(ccxt, stream.account.egress).add(stream);
  }

  #connectionFor(ccxt: CcxtClient, egress: string | undefined): SharedConnection {
    for (const connection of this.#connections)
      if (
        connection.ccxt === ccxt &&
        connection.egress === egress &&
        connection.size < this.protocol.accountsPerConnection
      )
        return connection;
    const connection: SharedConnection = new SharedConnection(
      this.segment,
      this.protocol,
      { ccxt, egress },
      () => this.#connections.delete(connection),
    );
    this.#connections.add(connection);
    return connection;
  }
}

class SharedConnection {
  readonly ccxt: CcxtClient;
  /** The local address of the connection. */
  readonly egress: string | undefined;
  readonly #socket: StreamSocket;
  /** Requested subscriptions, by request id. */
  readonly #requested = new Map<string, AccountSubscription>();
  /** Subscriptions that the exchange accepted, by its stream id. */
  readonly #accepted = new Map<string, AccountSubscription>();
  /** Subscriptions that wait until the connection is open. */
  readonly #waiting = new Set<AccountSubscription>();
  #isOpen = false;
  #requestCount = 0;

  constructor(
    private readonly segment: StreamSegment,
    private readonly protocol: SharedStreamProtocol,
    { ccxt, egress }: { readonly ccxt: CcxtClient; readonly egress: string | undefined },
    private readonly onClosed: () => void,
  ) {
    this.ccxt = ccxt;
    this.egress = egress;
    const handler = {
      onOpen: () => this.#subscribeWaiting(),
      onMessage: (message: unknown) => this.#receive(message),
      onClosed: (error: ExchangeError) => this.#end(error),
    };
    this.#socket = segment.sockets.connect(protocol.url(ccxt), handler, { egress });
  }

  get size(): number {
    return this.#waiting.size + this.#requested.size + this.#accepted.size;
  }

  add(stream: AccountSubscription): void {
    stream.attach(() => this.#remove(stream));
    if (this.#isOpen) this.#request(stream);
    else this.#waiting.add(stream);
  }

  #subscribeWaiting(): void {
    this.#isOpen = true;
    for (const stream of this.#waiting) this.#request(stream);
    this.#waiting.clear();
  }

  #request(stream: AccountSubscription): void {
    const id = this.#nextRequest();
    try {
      const request = runAsAccount(stream.account, () => this.protocol.subscribe(this.ccxt, id));
      this.#requested.set(id, stream);
      this.#socket.send(request);
    } catch {
      // Signing fails if the secret does not have the format that the exchange requires.
      this.#drop(stream, failure(['fatal', 'credentials_rejected']));
    }
  }

  #receive(message: unknown): void {
    const routed = this.protocol.routeMessage(message);
    if (routed?.to === 'stream') this.#dispatch(routed.id, routed.event);
    else if (routed !== undefined) this.#settleRequest(routed);
  }

  #settleRequest(response: Extract<StreamMessage, { to: 'request' }>): void {
    const stream = this.#requested.get(response.id);
    if (stream === undefined) return;
    this.#requested.delete(response.id);
    if ('rejection' in response) {
      this.#drop(stream, this.segment.classifyRejection(this.ccxt, response.status, response.rejection));
    } else if (stream.hasEnded) {
      this.#unsubscribe(response.streamId);
    } else {
      this.#accepted.set(response.streamId, stream);
      this.#callHandler(response.streamId, stream, () => stream.onSubscribed());
    }
  }

  #dispatch(streamId: string, event: unknown): void {
    const stream = this.#accepted.get(streamId);
    if (stream === undefined || stream.hasEnded) return;
    this.#callHandler(streamId, stream, () => {
      const parsed = this.protocol.read(this.ccxt, event);
      if (parsed !== undefined && !stream.onEvent(parsed))
        this.#endStream(streamId, stream, failure(['retryable', 'unreachable']));
    });
  }

  /** Calls a handler. An exception ends the stream of this account only. */
  #callHandler(streamId: string, stream: AccountSubscription, notify: () => void): void {
    try {
      notify();
    } catch (error) {
      this.#endStream(streamId, stream, asExchangeError(error));
    }
  }

  #endStream(streamId: string, stream: AccountSubscription, error: ExchangeError): void {
    this.#unsubscribe(streamId);
    this.#drop(stream, error);
  }

  #drop(stream: AccountSubscription, error: ExchangeError): void {
    stream.lose(error);
    void this.#closeIfIdle();
  }

  #remove(stream: AccountSubscription): Promise<void> {
    this.#waiting.delete(stream);
    for (const [streamId, accepted] of this.#accepted) if (accepted === stream) this.#unsubscribe(streamId);
    return this.#closeIfIdle();
  }

  #unsubscribe(streamId: string): void {
    this.#accepted.delete(streamId);
    this.#socket.send(this.protocol.unsubscribe(streamId, this.#nextRequest()));
  }

  /** Closes the connection if none of its subscriptions is still in use. */
  async #closeIfIdle(): Promise<void> {
    const isInUse = [...this.#waiting, ...this.#requested.values(), ...this.#accepted.values()].some(
      ({ hasEnded }) => !hasEnded,
    );
    if (!isInUse) await this.#socket.close();
  }

  #end(error: ExchangeError): void {
    this.onClosed();
    const streams = [...this.#waiting, ...this.#requested.values(), ...this.#accepted.values()];
    this.#waiting.clear();
    this.#requested.clear();
    this.#accepted.clear();
    for (const stream of streams) stream.lose(error);
  }

  #nextRequest(): string {
    this.#requestCount += 1;
    return String(this.#requestCount);
  }
}

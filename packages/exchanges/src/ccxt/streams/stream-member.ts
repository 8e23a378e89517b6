/** One account's stream on a connection: parses the messages of the connection and reports them to the account. */
import type { ExchangeError } from '../../port.js';
import type { CallRequest } from '../call.js';
import type { OwnStreamProtocol, StreamReader, StreamReport, VenueSession } from '../declaration.js';
import { failure } from '../failures.js';
import { type AccountSubscription, asExchangeError } from './account-subscription.js';
import { ReportPairing } from './report-pairing.js';
import type { StreamSegment } from './shared-account-streams.js';
import { StreamCalls } from './stream-calls.js';

/** The members of a segment that these streams use. */
export interface OwnStreamSegment extends StreamSegment {
  run<T>(request: CallRequest, work: (session: VenueSession) => Promise<T>): Promise<T>;
}

export interface OpenedStream {
  readonly protocol: OwnStreamProtocol;
  readonly session: VenueSession;
}

export class StreamMember {
  readonly #pairing: ReportPairing;
  readonly #calls: StreamCalls;
  readonly #reader: StreamReader;
  #keepAlive: NodeJS.Timeout | undefined;
  #leave: () => unknown = () => undefined;

  constructor(
    readonly stream: AccountSubscription,
    readonly segment: OwnStreamSegment,
    readonly opened: OpenedStream,
  ) {
    const request = { kind: 'read', purpose: 'resume', account: stream.account } as const;
    this.#reader = opened.protocol.open(opened.session);
    this.#pairing = new ReportPairing((order, fills) =>
      this.#callHandler(() => stream.onEvent({ kind: 'order', order, fills })),
    );
    this.#calls = new StreamCalls({
      read: (call) => segment.run(request, (session) => call.read(session)),
      emit: (report) => this.#dispatch(report),
      fail: (error) => this.end(asExchangeError(error)),
    });
    this.#keepAlive = this.#startKeepAlive();
  }

  /** @param leave called when the member ends the stream itself */
  attach(leave: () => Promise<void>): void {
    this.#leave = leave;
    this.stream.attach(leave);
  }

  /** The exchange has accepted every subscription of the plan. */
  onSubscribed(): void {
    this.#callHandler(() => this.stream.onSubscribed());
  }

  receive(message: unknown): void {
    if (this.stream.hasEnded) return;
    try {
      for (const report of this.#reader.read(message)) this.#dispatch(report);
    } catch (error) {
      this.end(asExchangeError(error));
    }
  }

  /** Ends the stream, and leaves the connection. */
  end(error: ExchangeError): void {
    this.lose(error);
    this.#leave();
  }

  /** Ends the stream after its connection has ended. */
  lose(error: ExchangeError): void {
    this.stop();
    this.stream.lose(error);
  }

  /** Stops all reports. */
  stop(): void {
    clearInterval(this.#keepAlive);
    this.#pairing.close();
    this.#calls.close();
  }

  /** A failed call ends the stream, because the exchange may end it without a message. The next one may succeed. */
  #startKeepAlive(): NodeJS.Timeout | undefined {
    const { keepAlive } = this.opened.protocol;
    if (keepAlive === undefined) return undefined;
    const request = { kind: 'read', purpose: 'resume', account: this.stream.account } as const;
    const call = () =>
      this.segment
        .run(request, (session) => keepAlive.run(session))
        .catch(() => this.end(failure(['retryable', 'unreachable'])));
    return setInterval(() => void call(), keepAlive.everyMs).unref();
  }

  #dispatch(report: StreamReport): void {
    if (report.kind === 'order') this.#pairing.addOrder(report.order);
    else if (report.kind === 'fill') this.#pairing.addFill(report.fill);
    else if (report.kind === 'call') this.#calls.add(report);
    else
      this.#callHandler(() => {
        if (!this.stream.onEvent(report)) this.end(failure(['retryable', 'unreachable']));
      });
  }

  /** An exception of a handler ends the stream. */
  #callHandler(notify: () => unknown): void {
    if (this.stream.hasEnded) return;
    try {
      notify();
    } catch (error) {
      this.end(asExchangeError(error));
    }
  }
}

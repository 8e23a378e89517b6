/** Account streams with a connection for each account. */
import type { AccountStreamHandler, ExchangeError, VenueStream } from '../../port.js';
import type { CallAccount, CallRequest } from '../call.js';
import type {
  OwnStreamProtocol,
  StepResponse,
  StreamPlan,
  StreamReader,
  StreamReport,
  VenueSession,
} from '../declaration.js';
import { failure } from '../failures.js';
import { AccountSubscription, asExchangeError } from './account-subscription.js';
import { ReportPairing } from './report-pairing.js';
import type { AccountStreams, StreamSegment } from './shared-account-streams.js';
import type { StreamSocket } from './sockets.js';
import { StreamCalls } from './stream-calls.js';

/** The members of a segment that these streams use. */
export interface OwnStreamSegment extends StreamSegment {
  run<T>(request: CallRequest, work: (session: VenueSession) => Promise<T>): Promise<T>;
}

export class OwnAccountStreams implements AccountStreams {
  constructor(
    private readonly segment: OwnStreamSegment,
    private readonly protocol: OwnStreamProtocol,
  ) {}

  open(account: CallAccount, handler: AccountStreamHandler): VenueStream {
    const stream = new AccountSubscription(account, handler, this.segment.startTimeoutMs);
    this.#start(stream).catch((error: unknown) => stream.lose(asExchangeError(error)));
    return { close: () => stream.close() };
  }

  async #start(stream: AccountSubscription): Promise<void> {
    const { segment, protocol } = this;
    const session = await segment.preparedSession();
    await segment.acquireBudget(stream.account, protocol.weight);
    const request = { kind: 'read', purpose: 'resume', account: stream.account } as const;
    const plan = await segment.run(request, (opened) => protocol.plan(opened));
    if (stream.hasEnded) return;
    const connection = new OwnConnection(stream, protocol, { plan, reader: protocol.open(session) });
    connection.connect(segment, session);
  }
}

/** The connection of one account. */
class OwnConnection {
  readonly #pairing: ReportPairing;
  #calls: StreamCalls | undefined;
  #socket: StreamSocket | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  #stepsSent = 0;
  #isSubscribed = false;

  constructor(
    private readonly stream: AccountSubscription,
    private readonly protocol: OwnStreamProtocol,
    private readonly opened: { readonly plan: StreamPlan; readonly reader: StreamReader },
  ) {
    this.#pairing = new ReportPairing((order, fills) =>
      this.#callHandler(() => stream.onEvent({ kind: 'order', order, fills })),
    );
  }

  connect(segment: OwnStreamSegment, { ccxt }: VenueSession): void {
    const { stream, protocol, opened } = this;
    const request = { kind: 'read', purpose: 'resume', account: stream.account } as const;
    this.#calls = new StreamCalls({
      read: (call) => segment.run(request, (session) => call.read(session)),
      emit: (report) => this.#dispatch(report),
      fail: (error) => this.#end(asExchangeError(error)),
    });
    const handler = {
      onOpen: () => this.#sendNext(undefined),
      onMessage: (message: unknown) => {
        const response = protocol.responseOf(message);
        if (response === undefined) this.#receive(message);
        else if (response.isAccepted) this.#sendNext(message);
        else this.#end(rejectionOf(segment, ccxt, response));
      },
      onClosed: (error: ExchangeError) => {
        this.#stopReports();
        stream.lose(error);
      },
    };
    const { egress } = stream.account;
    this.#socket = segment.sockets.connect(opened.plan.url, handler, {
      egress,
      heartbeat: opened.plan.heartbeat ?? protocol.heartbeat,
      isGreeted: protocol.isGreeted,
      answerPing: protocol.answerPing,
    });
    stream.attach(() => this.#close());
    this.#keepAlive = this.#startKeepAlive(segment);
  }

  /** A failed call ends the stream, because the exchange may end it without a message. The next one may succeed. */
  #startKeepAlive(segment: OwnStreamSegment): NodeJS.Timeout | undefined {
    const { keepAlive } = this.protocol;
    if (keepAlive === undefined) return undefined;
    const request = { kind: 'read', purpose: 'resume', account: this.stream.account } as const;
    const call = () =>
      segment
        .run(request, (session) => keepAlive.run(session))
        .catch(() => this.#end(failure(['retryable', 'unreachable'])));
    return setInterval(() => void call(), keepAlive.everyMs).unref();
  }

  /** Sends the next message of the plan. After the last one was accepted, the stream is connected. */
  #sendNext(accepted: unknown): void {
    const step = this.opened.plan.steps[this.#stepsSent];
    if (step !== undefined) {
      this.#stepsSent += 1;
      this.#socket?.send(typeof step === 'function' ? step(accepted) : step);
    } else if (!this.#isSubscribed) {
      this.#isSubscribed = true;
      this.#callHandler(() => this.stream.onSubscribed());
    }
  }

  #receive(message: unknown): void {
    for (const report of this.opened.reader.read(message)) this.#dispatch(report);
  }

  #dispatch(report: StreamReport): void {
    if (report.kind === 'order') this.#pairing.addOrder(report.order);
    else if (report.kind === 'fill') this.#pairing.addFill(report.fill);
    else if (report.kind === 'call') this.#calls?.add(report);
    else
      this.#callHandler(() => {
        if (!this.stream.onEvent(report)) this.#end(failure(['retryable', 'unreachable']));
      });
  }

  /** An exception of a handler ends the stream. */
  #callHandler(notify: () => unknown): void {
    if (this.stream.hasEnded) return;
    try {
      notify();
    } catch (error) {
      this.#end(asExchangeError(error));
    }
  }

  #end(error: ExchangeError): void {
    this.stream.lose(error);
    void this.#close();
  }

  async #close(): Promise<void> {
    this.#stopReports();
    await this.#socket?.close();
  }

  #stopReports(): void {
    clearInterval(this.#keepAlive);
    this.#pairing.close();
    this.#calls?.close();
  }
}

function rejectionOf(
  segment: StreamSegment,
  ccxt: VenueSession['ccxt'],
  { status, rejection }: Extract<StepResponse, { isAccepted: false }>,
): ExchangeError {
  return segment.classifyRejection(ccxt, status, rejection);
}

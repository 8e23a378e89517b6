/**
 * One trading type of a venue: its ccxt client, markets, clock offset and streams. An account adds only its credentials.
 */
import { createHash } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { BudgetedCall, CallBudget } from '../call-budget.js';
import { ExchangeError, type Market } from '../port.js';
import {
  type Call,
  type CallAccount,
  type CallRequest,
  currentCall,
  type Deadline,
  DeadlineExceeded,
  noDeadline,
  runCall,
} from './call.js';
import { type CcxtClient, ccxtConstructorOptions, patchCcxtClient } from './ccxt-client.js';
import { budgetKeyOf, type VenueConfig } from './config.js';
import type { TradingTypeDeclaration, VenueSession } from './declaration.js';
import { failure, toExchangeError } from './failures.js';
import { readMarkets } from './markets.js';
import { type NonceSource, Turns } from './nonces.js';
import { OwnAccountStreams, type OwnConnections } from './streams/own-account-streams.js';
import { type AccountStreams, SharedAccountStreams } from './streams/shared-account-streams.js';
import { Sockets } from './streams/sockets.js';
import { Transport } from './transport.js';

export interface SegmentOptions {
  readonly config: VenueConfig;
  readonly budget: CallBudget;
  readonly nonces: NonceSource;
  /** The connections that the trading types of the venue share. */
  readonly connections: OwnConnections;
  /** Whether the client talks to the exchange's test network or its demo trading. */
  readonly isSandbox: boolean;
  /** Milliseconds without a message after which a stream is lost. */
  readonly idleTimeoutMs: number;
}

/** How much longer than the time limit a background read may wait for the budget. */
const BACKGROUND_WAIT_MS = 15_000;

export class Segment {
  readonly sockets: Sockets;
  readonly startTimeoutMs: number;
  readonly accountStreams: AccountStreams | undefined;
  readonly publicEgress: string | undefined;
  readonly #transport: Transport;
  readonly #budgetKey: string;
  readonly #turns = new Turns();
  #session: Promise<VenueSession> | undefined;
  #loading: Promise<void> | undefined;
  #isClockKnown = false;

  constructor(
    readonly tradingType: TradingType,
    readonly declaration: TradingTypeDeclaration,
    private readonly options: SegmentOptions,
  ) {
    const { config, budget, idleTimeoutMs } = options;
    const { timeoutMs, url: origin } = config;
    this.#budgetKey = budgetKeyOf(config, declaration);
    this.publicEgress = config.egress?.[0];
    this.#transport = new Transport({
      origin,
      publicEgress: this.publicEgress,
      timeoutMs,
      isAccountLimit: declaration.rateLimits.isAccountLimit,
      countsAccountTogether: declaration.rateLimits.countsAccountTogether,
      pauseOf: declaration.rateLimits.pauseOf,
      onPause: (forMs, egress) => budget.pause(this.#budgetKey, forMs, egress),
    });
    this.sockets = new Sockets({ origin, timeoutMs, idleTimeoutMs });
    // A stream loads the markets, waits for the call budget and connects. Each step has its own time limit.
    this.startTimeoutMs = 3 * timeoutMs;
    this.accountStreams = this.#openAccountStreams();
  }

  async fetchMarkets(): Promise<readonly Market[]> {
    await this.#load();
    const { ccxt } = await this.#open();
    return readMarkets(ccxt.markets ?? {}, this.tradingType, this.declaration);
  }

  async close(): Promise<void> {
    await Promise.all([this.sockets.close(), this.#transport.close()]);
  }

  /** Runs one call within the time limit. Loads the markets and the clock offset first if they are not loaded yet. */
  async run<T>(request: CallRequest, work: (session: VenueSession) => Promise<T>): Promise<T> {
    return this.#withDeadline(async (limit) => {
      const session = await this.preparedSession();
      return runCall(request, limit, () => work(session), this.#toExchangeError);
    }, waitsInBackground(request));
  }

  /** Fetches public data for background work. */
  read<T>(work: (ccxt: CcxtClient) => Promise<T>): Promise<T> {
    return this.run({ kind: 'read', purpose: 'check' }, ({ ccxt }) => work(ccxt));
  }

  /** Waits for the budget of a stream's connection, which does not go through ccxt. */
  async acquireBudget({ key, userId, egress }: CallAccount, weight: number): Promise<void> {
    const call = {
      venue: this.#budgetKey,
      egress,
      accountKey: key,
      userId,
      weight,
      // Exchanges that count the weight of an account count requests, not connections.
      accountWeight: 0,
      isOrder: false,
      purpose: 'resume',
    } as const;
    await this.#withDeadline(({ signal }) => this.#acquire(call, signal), true);
  }

  /** Converts the rejection of a subscription to the error that a call with the same rejection would throw. */
  classifyRejection(ccxt: CcxtClient, status: number, rejection: unknown): ExchangeError {
    const body = JSON.stringify(rejection) ?? '';
    const call: Call = {
      kind: 'read',
      ...noDeadline(),
      isReleased: true,
      isSent: true,
      response: { status, body },
    };
    try {
      ccxt.handleErrors(status, '', ccxt.urls.api.private, 'GET', {}, body, rejection, {}, '');
    } catch (error) {
      return this.#toExchangeError(error, call);
    }
    return failure(['retryable', 'bad_answer']);
  }

  async preparedSession(): Promise<VenueSession> {
    if (!this.#isClockKnown) await this.#load();
    return this.#open();
  }

  #openAccountStreams(): AccountStreams | undefined {
    const protocol = this.declaration.accountStream;
    if (protocol === undefined) return undefined;
    return protocol.kind === 'SHARED'
      ? new SharedAccountStreams(this, protocol)
      : new OwnAccountStreams(this, protocol, this.options.connections);
  }

  /** Reloads markets and clock offset. Concurrent callers share one request. After a failure, the old data remains. */
  #load(): Promise<void> {
    const reload = async () => {
      const { ccxt } = await this.#open();
      await ccxt.loadMarkets(true);
      this.#isClockKnown = true;
    };
    // Calls of users wait for the markets, too. They are read rarely.
    this.#loading ??= this.#withDeadline((limit) =>
      runCall({ kind: 'read', purpose: 'user' }, limit, reload, this.#toExchangeError),
    ).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /**
   * Runs work with a time limit. The timer is cleared when the work ends; otherwise timers would pile up at a high
   * call rate.
   *
   * @param isBackground whether the work may wait longer for the budget; the time limit begins after that
   */
  async #withDeadline<T>(work: (limit: Deadline) => Promise<T>, isBackground = false): Promise<T> {
    const { timeoutMs } = this.options.config;
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startTimer = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => deadline.abort(), ms);
      return performance.now() + ms;
    };
    const endsAtMs = startTimer(timeoutMs + (isBackground ? BACKGROUND_WAIT_MS : 0));
    const restart = isBackground ? () => startTimer(timeoutMs) : undefined;
    try {
      return await work({ signal: deadline.signal, endsAtMs, restart });
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #toExchangeError = (error: unknown, call: Call): ExchangeError => {
    const classified = toExchangeError(error, call, this.declaration.rejectionPatterns);
    // `refused` and `retryable` together mean that the clock offset is wrong; the next call reloads it.
    if (classified.outcome === 'retryable' && classified.code === 'refused') this.#isClockKnown = false;
    return classified;
  };

  /** Creates the ccxt client. Its class is loaded on the first use of the segment. */
  #open(): Promise<VenueSession> {
    this.#session ??= this.#create();
    return this.#session;
  }

  async #create(): Promise<VenueSession> {
    const { client } = this.declaration;
    const options = {
      transport: this.#transport,
      options: client.options,
      fixedOptions: client.fixedOptions,
      acquireBudget: (cost: number) => this.#acquireCallBudget(cost),
    };
    const ExchangeClass = await client.load();
    const exchange = new ExchangeClass(ccxtConstructorOptions(options));
    const ccxt = patchCcxtClient(exchange as CcxtClient, options);
    if (client.hasRisingNonces === true) useRisingNonces(ccxt);
    client.prepare?.(exchange);
    if (this.options.isSandbox) {
      if (client.sandbox === undefined)
        throw new Error('the exchange has no test network and no demo trading');
      ccxt[client.sandbox](true);
    }
    return { ccxt, orNull: (call) => this.#orNull(call) };
  }

  async #orNull<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      const classified = this.#toExchangeError(error, currentCall());
      if (classified.code === 'order_not_found') return null;
      throw classified;
    }
  }

  async #acquireCallBudget(cost: number): Promise<void> {
    const call = currentCall();
    const { account, isOrder = false, isExit, purpose, signal } = call;
    const { key: accountKey, userId = call.userId, egress = this.publicEgress } = account ?? {};
    const { rateLimits } = this.declaration;
    const weight = Math.ceil(rateLimits.weightOf(cost));
    const accountWeight = rateLimits.account && Math.ceil(rateLimits.account.weightOf(cost));
    const costs = { weight, accountWeight, isOrder, isExit, purpose };
    await this.#acquire({ venue: this.#budgetKey, egress, accountKey, userId, ...costs }, signal);
    if (account !== undefined && this.declaration.client.hasRisingNonces === true)
      await this.#takeNonce(call, nonceKeyOf(account));
    if (call.restart !== undefined) call.endsAtMs = call.restart();
  }

  /** The turn ends with the response, or with the call. */
  async #takeNonce(call: Call, key: string): Promise<void> {
    const endTurn = await this.#turns.take(key);
    // A call that is over ends no turn any more.
    if (call.signal.aborted) {
      endTurn();
      throw new DeadlineExceeded();
    }
    call.endTurn = endTurn;
    call.nonce = await this.options.nonces.next(key);
  }

  /**
   * Waits until the call budget admits a call. If the budget itself fails, nothing was sent either, so the error is the
   * same as for an exhausted budget.
   */
  async #acquire(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    try {
      await this.options.budget.take(call, signal);
    } catch (error) {
      throw error instanceof ExchangeError ? error : failure(['retryable', 'rate_limited']);
    }
  }
}

/** Signs each request with the nonce of its call, and ends the turn of the call when the response has arrived. */
function useRisingNonces(ccxt: CcxtClient): void {
  ccxt.nonce = () => currentCall().nonce ?? 0;
  const { fetch } = ccxt;
  ccxt.fetch = async (...request) => {
    try {
      return await fetch(...request);
    } finally {
      currentCall().endTurn?.();
    }
  };
}

/** Keys of the exchange, not accounts, have nonces: a test of credentials has no account. */
function nonceKeyOf({ credentials }: CallAccount): string {
  return createHash('sha256').update(credentials.apiKey).digest('hex');
}

/** Whether the time in the queue of the budget does not count towards the time limit of a call. */
function waitsInBackground({ kind, purpose = 'check' }: CallRequest): boolean {
  return kind === 'read' && (purpose === 'check' || purpose === 'rotation');
}

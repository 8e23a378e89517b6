/**
 * A stub GraphQL API with the `graphql-ws` server. It verifies signatures as the GraphQL API does. A test can make it
 * disconnect, stop responding, reject operations and drop messages.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { eventually } from '@trading-automation/runtime/testing';
import {
  InMemoryReplayWindow,
  type ReceivedRequest,
  type RequestVerification,
  verifyRequest,
} from '@trading-automation/signed-request';
import { nobleEngine } from '@trading-automation/signed-request/browser';
import { buildSchema, GraphQLError, type GraphQLSchema, graphql } from 'graphql';
import { handleProtocols } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { Client, type ClientOptions } from '../../src/index.js';
import { createSigner } from '../../src/signer/index.js';

const SCHEMA = `
  scalar Decimal scalar DateTime scalar Long
  type Query { me: Me, broken: String, greeting(number: Int): String }
  type Me { id: ID! }
  type Mutation { order(amount: Decimal!): String }
  type Subscription {
    tradeSignal(strategyId: ID!, afterSequence: Long): TradeSignal!
    orderbookUpdate(tradePairId: ID!, depth: Int = 20): OrderBookUpdate!
    tick(after: Int): Int
  }
  type TradeSignal {
    id: ID! sequence: Long! strategyId: ID! kind: String! symbol: String! tradingType: String! side: String!
    orderType: String! price: Decimal stopPrice: Decimal filledAmount: Decimal! leaderRatio: Decimal
    positionFractionClosed: Decimal referencePrice: Decimal! sourceTradeId: ID! emittedAt: DateTime! expiresAt: DateTime!
  }
  type OrderBookUpdate {
    exchange: String! symbol: String! kind: String! sequence: Long! previousSequence: Long bids: [[Decimal!]!]!
    asks: [[Decimal!]!]! exchangeTimestamp: DateTime! receivedAt: DateTime!
  }
`;

export const TIMESTAMP = '2026-01-01T00:00:00.000Z';
/** The private key of the clients, the same in every run. */
export const privateKey = new Uint8Array(createHash('sha256').update('realtime of the SDK').digest());

export type Level = readonly [price: string, amount: string];

/** The order book of the server. A test can change it without an update being sent. */
export class StubOrderBook {
  readonly messages: Record<string, unknown>[] = [];
  sequence = 1;
  private readonly sides = { bids: new Map<string, string>(), asks: new Map<string, string>() };

  /** Changes levels and sends the update, unless it is dropped. */
  change(bids: readonly Level[], asks: readonly Level[] = [], isDropped = false): void {
    const previousSequence = this.sequence++;
    for (const [side, levels] of [
      [this.sides.bids, bids],
      [this.sides.asks, asks],
    ] as const)
      for (const [price, amount] of levels) {
        if (Number(amount) === 0) side.delete(price);
        else side.set(price, amount);
      }
    if (!isDropped) this.messages.push(this.message('DELTA', previousSequence, bids, asks));
  }

  get bids(): Level[] {
    return [...this.sides.bids].sort(([a], [b]) => Number(b) - Number(a));
  }

  get asks(): Level[] {
    return [...this.sides.asks].sort(([a], [b]) => Number(a) - Number(b));
  }

  snapshot(): Record<string, unknown> {
    return this.message('SNAPSHOT', null, this.bids, this.asks);
  }

  private message(
    kind: string,
    previousSequence: number | null,
    bids: readonly Level[],
    asks: readonly Level[],
  ) {
    const { sequence } = this;
    const timestamps = { exchangeTimestamp: TIMESTAMP, receivedAt: TIMESTAMP };
    return {
      exchange: 'paper',
      symbol: 'BTC/USDT',
      kind,
      sequence,
      previousSequence,
      bids,
      asks,
      ...timestamps,
    };
  }
}

export class StubRealtimeServer {
  readonly book = new StubOrderBook();
  readonly signals: Record<string, unknown>[] = [];
  /** The headers of each handshake. */
  readonly handshakes: Record<string, string>[] = [];
  /** The variables of each operation over a WebSocket. */
  readonly subscribes: Record<string, unknown>[] = [];
  /** The Idempotency-Key of each operation, over a WebSocket or in a POST. */
  readonly idempotencyKeys: (string | undefined)[] = [];
  /** Number of operations that clients completed. */
  completes = 0;
  /** Number of pings that clients sent. */
  pings = 0;
  /** Number of signals that were sent. */
  signalsSent = 0;
  ticks = 0;
  /** Milliseconds by which the server's clock is ahead. */
  skewMs = 0;
  /** If set, each handshake is rejected with this close code and reason. */
  refusal: readonly [code: number, reason: string] | undefined;
  /** Error codes of the next operations, in order. */
  readonly failures: string[] = [];
  /** The retry delay of the errors in `failures`, in seconds. */
  retryAfter: number | undefined;
  /** Responses to the next POST requests, in order. */
  readonly scriptedResponses: ((response: ServerResponse) => void)[] = [];
  /** The sequence of a signal that is not sent when it is due for the first time. */
  skipped: number | undefined;
  /** The sequence of a signal that is sent twice. */
  doubled: number | undefined;
  /** Number of executed `order` mutations. */
  orders = 0;
  /** Number of calls of `completeAll`. A subscription ends as soon as this number has changed since its start. */
  private generation = 0;
  private readonly replayWindow = new InMemoryReplayWindow();
  private readonly waiting = new Set<() => void>();
  private readonly schema: GraphQLSchema;
  private readonly sockets = new WebSocketServer({ noServer: true, handleProtocols });
  private server: Server | undefined;

  private constructor(public port = 0) {
    this.schema = this.createSchema();
    useServer(
      {
        schema: this.schema,
        // A long time limit, because a busy machine may delay the client.
        connectionInitWaitTimeout: 60_000,
        onConnect: async ({ connectionParams = {}, extra }) => {
          const headers = connectionParams as Record<string, string>;
          this.handshakes.push(headers);
          const verdict = await this.verify({
            method: 'CONNECT',
            path: '/graphql',
            headers,
            body: new Uint8Array(),
          });
          const refusal =
            this.refusal ??
            (verdict.kind === 'accepted'
              ? undefined
              : [4403, 'code' in verdict ? verdict.code : 'authentication_required']);
          if (refusal !== undefined) extra.socket.close(refusal[0] as number, refusal[1] as string);
          return refusal === undefined;
        },
        onSubscribe: (_context, _id, { variables, extensions }) => {
          this.subscribes.push(variables ?? {});
          this.idempotencyKeys.push((extensions as { idempotencyKey?: string } | undefined)?.idempotencyKey);
          const code = this.failures.shift();
          return code === undefined ? undefined : [graphqlError(code, { retry_after: this.retryAfter })];
        },
      },
      this.sockets,
      0,
    );
    this.sockets.on('connection', (socket) => this.countMessages(socket));
  }

  private countMessages(socket: WebSocket): void {
    socket.on('message', (message) => {
      const { type } = JSON.parse(String(message));
      if (type === 'complete') this.completes++;
      if (type === 'ping') this.pings++;
    });
  }

  static async open(): Promise<StubRealtimeServer> {
    const server = new StubRealtimeServer();
    await server.listen();
    return server;
  }

  /** Creates a client of this server. */
  client<D extends 'number' | 'string' = 'number'>(options: ClientOptions<D> = {}): Client<D> {
    const baseURL = `http://127.0.0.1:${this.port}`;
    return new Client<D>({ baseURL, signer: createSigner(privateKey), logLevel: 'off', ...options });
  }

  async listen(): Promise<void> {
    this.server = createServer((request, response) => void this.respond(request, response));
    this.server.on('upgrade', (request, stream, head) =>
      this.sockets.handleUpgrade(request, stream, head, (socket) =>
        this.sockets.emit('connection', socket, request),
      ),
    );
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  get openSockets(): number {
    return this.sockets.clients.size;
  }

  /** Drops every connection, like a network failure. */
  cut(): void {
    for (const socket of this.sockets.clients) socket.terminate();
  }

  closeAll(code: number, reason = ''): void {
    for (const socket of this.sockets.clients) socket.close(code, reason);
  }

  /** Stops reading from and writing to the open connections. */
  stopResponding(): void {
    for (const socket of this.sockets.clients) {
      socket.pause();
      socket.send = () => undefined;
    }
  }

  /** Completes every subscription. */
  completeAll(): void {
    this.generation++;
    this.notifyWaiters();
  }

  /** Emits the next signals of every strategy. */
  signal(count = 1): void {
    for (let i = 0; i < count; i++) this.signals.push(signalOf(this.signals.length + 1));
    this.notifyWaiters();
  }

  tick(): void {
    this.ticks++;
    this.notifyWaiters();
  }

  change(...args: Parameters<StubOrderBook['change']>): void {
    this.book.change(...args);
    this.notifyWaiters();
  }

  async waitUntil(check: () => boolean): Promise<void> {
    await eventually(check);
  }

  /** Stops the server and drops its connections. */
  async close(): Promise<void> {
    this.completeAll();
    this.cut();
    this.server?.closeAllConnections();
    this.server?.close();
    this.server = undefined;
  }

  private createSchema(): GraphQLSchema {
    const schema = buildSchema(SCHEMA);
    const subscriptions = schema.getSubscriptionType()!.getFields();
    subscriptions.tradeSignal!.subscribe = (_root, args) =>
      this.followSignals(args.strategyId, args.afterSequence);
    subscriptions.orderbookUpdate!.subscribe = () => this.followBook();
    subscriptions.tick!.subscribe = (_root, { after }) => this.followTicks(after ?? this.ticks);
    const query = schema.getQueryType()!.getFields();
    query.me!.resolve = () => ({ id: 'usr_1' });
    query.broken!.resolve = () => {
      throw graphqlError('not_found');
    };
    query.greeting!.resolve = (_root, { number }) => `hello ${number}`;
    schema.getMutationType()!.getFields().order!.resolve = (_root, { amount }) =>
      `order ${++this.orders}, amount ${amount}`;
    return schema;
  }

  private async *followSignals(strategyId: string, after: number | null | undefined) {
    if (strategyId === 'absent') throw graphqlError('not_found');
    const { generation } = this;
    let at = after ?? this.signals.length;
    while (generation === this.generation) {
      while (at < this.signals.length) {
        const signal = { ...this.signals[at++], strategyId };
        if (at === this.skipped) this.skipped = undefined;
        else {
          this.signalsSent++;
          yield { tradeSignal: signal };
          if (at === this.doubled) yield { tradeSignal: signal };
        }
        if (strategyId === 'private after 2' && at === 2) throw graphqlError('not_found');
      }
      await this.waitForChange();
    }
  }

  private async *followBook() {
    const { generation } = this;
    let at = this.book.messages.length;
    yield { orderbookUpdate: this.book.snapshot() };
    while (generation === this.generation) {
      while (at < this.book.messages.length) yield { orderbookUpdate: this.book.messages[at++] };
      await this.waitForChange();
    }
  }

  private async *followTicks(after: number) {
    const { generation } = this;
    let at = after;
    while (generation === this.generation) {
      while (at < this.ticks) yield { tick: ++at };
      await this.waitForChange();
    }
  }

  private waitForChange(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private notifyWaiters(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private verify(request: ReceivedRequest): Promise<RequestVerification<string>> {
    return verifyRequest(request, {
      engine: nobleEngine,
      findPublicKey: async (key) => key,
      replayWindow: this.replayWindow,
      nowMs: () => Date.now() + this.skewMs,
    });
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page for browser tests.
    if (request.method === 'GET') return void response.end('<!doctype html>');
    const body = await buffer(request);
    const { method = '', url: path = '', headers } = request;
    this.idempotencyKeys.push(headers['idempotency-key'] as string | undefined);
    const verdict = await this.verify({ method, path, headers: headers as Record<string, string>, body });
    if (verdict.kind === 'refused') {
      const details =
        verdict.code === 'timestamp_out_of_window'
          ? [{ code: 'skew', server_time: verdict.serverTimeMs }]
          : [];
      return send(response, 401, {
        errors: [graphqlError(verdict.code, { details, request_id: 'refused' }).toJSON()],
      });
    }
    const scripted = this.scriptedResponses.shift();
    if (scripted !== undefined) return scripted(response);
    const { query, variables } = JSON.parse(body.toString());
    send(response, 200, await graphql({ schema: this.schema, source: query, variableValues: variables }));
  }
}

/** Creates a GraphQL error with an error code of the API. */
export function graphqlError(code: string, more: object = {}): GraphQLError {
  return new GraphQLError(`failed with ${code}`, {
    extensions: { code, request_id: `request of ${code}`, ...more },
  });
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function signalOf(sequence: number): Record<string, unknown> {
  return {
    id: `sig_${sequence}`,
    sequence,
    kind: 'OPEN',
    symbol: 'BTC/USDT',
    tradingType: 'spot',
    side: 'BUY',
    orderType: 'LIMIT',
    price: '60000.5',
    filledAmount: '0.1000000000000000005',
    referencePrice: '60000.25',
    sourceTradeId: 'trd_1',
    emittedAt: TIMESTAMP,
    expiresAt: TIMESTAMP,
  };
}

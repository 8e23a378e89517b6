import { z } from 'zod';
import { VENUE_ERRORS, VenueError } from '../../errors.js';
import type { OrderCounts } from '../limits.js';
import { type RateLimits, weightOf } from '../limits.js';
import type { MarginListenTokens } from '../margin/listen-tokens.js';
import { type Call, NO_RESPONSE, type Operation } from '../operation.js';
import { type Access, assertParams } from '../params.js';
import { errorView } from '../venue-hooks.js';
import type { Peer } from './peer.js';
import type { RequestParams, SocketSession, SocketSessions } from './socket-sessions.js';
import type { UserStreams } from './user-streams.js';
import type { UserSubscription } from './user-subscription.js';

const MAX_SUBSCRIPTIONS_PER_CONNECTION = 100;
const USER_DATA_WEIGHT = 2;

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const Request = z.strictObject({
  id: z.union([z.int(), z.string().max(36), z.null()]),
  method: z.string(),
  params: z.record(z.string(), Value).default({}),
});

interface Connection extends SocketSession {
  readonly peer: Peer;
  readonly subscriptions: Map<number, UserSubscription>;
  /** The timers that end subscriptions whose token expires. */
  readonly expirations: Map<number, NodeJS.Timeout>;
  nextId: number;
}

/** What a request may say besides the parameters of its operation. */
const ENVELOPE_PARAMS = new Set(['apiKey', 'returnRateLimits']);

/** The parameters of the methods that concern the connection itself, and whether a signature is among them. */
const CONNECTION_METHODS: ReadonlyMap<
  string,
  { readonly access: Access; readonly names: ReadonlySet<string> }
> = new Map([
  ['session.logon', { access: 'SIGNED', names: new Set<string>() }],
  ['session.status', { access: 'PUBLIC', names: new Set<string>() }],
  ['session.logout', { access: 'PUBLIC', names: new Set<string>() }],
  ['session.subscriptions', { access: 'PUBLIC', names: new Set<string>() }],
  ['userDataStream.subscribe', { access: 'PUBLIC', names: new Set<string>() }],
  ['userDataStream.subscribe.signature', { access: 'SIGNED', names: new Set<string>() }],
  ['userDataStream.subscribe.listenToken', { access: 'PUBLIC', names: new Set(['listenToken']) }],
  ['userDataStream.unsubscribe', { access: 'PUBLIC', names: new Set(['subscriptionId']) }],
]);

/** The user events of a product whose streams need no listen key. */
/** The user streams of the WebSocket API, and the tokens that open those of margin accounts. */
export class SocketUserStreams {
  constructor(
    private readonly streams: UserStreams,
    private readonly listenTokens: MarginListenTokens,
  ) {}

  subscribe(...subscription: Parameters<UserStreams['subscribe']>): ReturnType<UserStreams['subscribe']> {
    return this.streams.subscribe(...subscription);
  }

  drop(subscription: Parameters<UserStreams['drop']>[0]): void {
    this.streams.drop(subscription);
  }

  findToken(listenToken: string): ReturnType<MarginListenTokens['find']> {
    return this.listenTokens.find(listenToken);
  }
}

/** Serves the venue's WebSocket API: its operations, sessions, and the subscription to user events. */
export class SocketApi {
  private readonly operations: ReadonlyMap<string, Operation>;

  constructor(
    operations: readonly Operation[],
    private readonly limits: RateLimits,
    private readonly sessions: SocketSessions,
    /** Undefined for a product whose user streams need a listen key. */
    private readonly users: SocketUserStreams | undefined,
  ) {
    this.operations = new Map(
      operations.flatMap((operation) =>
        operation.socketMethod === undefined ? [] : [[operation.socketMethod, operation] as const],
      ),
    );
  }

  attach(peer: Peer): void {
    const connection: Connection = {
      ...this.sessions.open(),
      peer,
      subscriptions: new Map(),
      expirations: new Map(),
      nextId: 0,
    };
    peer.onMessage((message) => {
      const response = this.handleRequest(connection, message);
      if (response !== undefined) peer.send(response);
    });
    peer.onClose(() => {
      for (const id of connection.subscriptions.keys()) this.drop(connection, id);
    });
  }

  private handleRequest(connection: Connection, message: unknown): object | undefined {
    const { limits } = this;
    const { address } = connection.peer;
    const parsed = Request.safeParse(message);
    const id = parsed.success ? parsed.data.id : null;
    const used = limits.charge(address, parsed.success ? this.weightOf(parsed.data) : 1);
    const hasRateLimits = !parsed.success || parsed.data.params.returnRateLimits !== false;
    const rateLimits = (counts?: OrderCounts) =>
      hasRateLimits ? { rateLimits: limits.usedView(used, counts) } : {};
    try {
      limits.assertWeightLeft(address);
      if (!parsed.success) throw VENUE_ERRORS.invalidRequest();
      const { result, orderCounts } = this.call(connection, parsed.data.method, parsed.data.params);
      if (result === NO_RESPONSE) return undefined;
      return { id, status: 200, result, ...rateLimits(orderCounts) };
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      return { id, status: error.status, error: errorView(error), ...rateLimits() };
    }
  }

  private weightOf({ method, params }: { method: string; params: RequestParams }): number {
    const operation = this.operations.get(method);
    if (operation === undefined) return method.startsWith('userDataStream.') ? USER_DATA_WEIGHT : 1;
    return weightOf(operation.method, operation.path, () => paramsOf(params));
  }

  private call(
    connection: Connection,
    method: string,
    params: RequestParams,
  ): { result: unknown; orderCounts?: OrderCounts } {
    const operation = this.operations.get(method);
    if (operation === undefined) return { result: this.callConnection(connection, method, params) };
    const call: Call = {
      params: paramsOf(params),
      account: this.sessions.callerOf(operation, connection, params),
    };
    const result = operation.handle(call);
    return { result, ...(call.orderCounts === undefined ? {} : { orderCounts: call.orderCounts }) };
  }

  /** Runs a method that concerns the connection itself. */
  private callConnection(connection: Connection, method: string, params: RequestParams): object {
    const known = CONNECTION_METHODS.get(method);
    const isUserStream = method.startsWith('userDataStream.');
    if (known === undefined || (isUserStream && this.users === undefined)) throw VENUE_ERRORS.unsupported();
    assertParams(paramsOf(params), known.names, known.access);
    switch (method) {
      case 'session.logon':
        this.sessions.logon(connection, params);
        return this.sessionView(connection);
      case 'session.status':
        return this.sessionView(connection);
      case 'session.logout':
        delete connection.session;
        return this.sessionView(connection);
      case 'session.subscriptions':
        return [...connection.subscriptions.keys()].map((subscriptionId) => ({ subscriptionId }));
      case 'userDataStream.subscribe':
        if (connection.session === undefined) throw VENUE_ERRORS.invalidApiKeyFormat();
        return this.subscribe(connection, connection.session.account.id);
      case 'userDataStream.subscribe.signature':
        return this.subscribe(connection, this.sessions.authenticate(params).id);
      case 'userDataStream.subscribe.listenToken':
        return this.subscribeByToken(connection, params);
      case 'userDataStream.unsubscribe':
        return this.unsubscribe(connection, params);
      default:
        throw VENUE_ERRORS.unsupported();
    }
  }

  private sessionView(connection: Connection): object {
    return {
      ...this.sessions.view(connection),
      returnRateLimits: true,
      userDataStream: connection.subscriptions.size > 0,
    };
  }

  private subscribe(connection: Connection, accountId: string): { readonly subscriptionId: number } {
    const { users } = this;
    if (users === undefined || connection.subscriptions.size >= MAX_SUBSCRIPTIONS_PER_CONNECTION)
      throw VENUE_ERRORS.invalidRequest();
    const subscriptionId = connection.nextId++;
    const subscription = users.subscribe(accountId, connection.peer, (event) => ({
      subscriptionId,
      event,
    }));
    connection.subscriptions.set(subscriptionId, subscription);
    return { subscriptionId };
  }

  /** Subscribes to the account of a listen token, until the token expires. */
  private subscribeByToken(connection: Connection, { listenToken }: RequestParams): object {
    const token = this.users?.findToken(String(listenToken));
    if (token === undefined) throw VENUE_ERRORS.unsupported();
    const { accountId, expirationTime } = token;
    const { subscriptionId } = this.subscribe(connection, accountId);
    const end = () => this.unsubscribe(connection, { subscriptionId });
    const timer = setTimeout(end, expirationTime - this.sessions.now()).unref();
    connection.expirations.set(subscriptionId, timer);
    return { subscriptionId, expirationTime };
  }

  /** Ends the subscription `subscriptionId`, or all subscriptions of the connection if the request has no id. */
  private unsubscribe(connection: Connection, params: RequestParams): object {
    const { subscriptionId } = params;
    for (const [id, subscription] of connection.subscriptions) {
      if (subscriptionId !== undefined && id !== subscriptionId) continue;
      this.drop(connection, id);
      subscription.end(this.sessions.now());
    }
    return {};
  }

  private drop({ subscriptions, expirations }: Connection, id: number): void {
    const subscription = subscriptions.get(id);
    if (subscription !== undefined) this.users?.drop(subscription);
    subscriptions.delete(id);
    clearTimeout(expirations.get(id));
    expirations.delete(id);
  }
}

/** Returns the parameters as a REST request has them: as strings, and lists as JSON. */
function paramsOf(params: RequestParams): URLSearchParams {
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (ENVELOPE_PARAMS.has(name)) continue;
    result.set(name, Array.isArray(value) ? JSON.stringify(value) : String(value));
  }
  return result;
}

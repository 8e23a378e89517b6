import { ApiPromise, type ApiResponse } from './core/api-promise.js';
import { type ClientOptions, resolveConnection } from './core/connection.js';
import type { DecimalForm } from './core/decimals.js';
import { type EventStreamOptions, streamMessages } from './core/event-stream.js';
import type { ServerSentEvent } from './core/event-stream-parser.js';
import type { VariablesAndOptions } from './core/graphql.js';
import type { GraphqlDocument } from './core/graphql-document.js';
import { OperationClient, pages, parseData, pathWith } from './core/operation-client.js';
import type { PagePromise } from './core/page.js';
import { type RequestOptions, Transport } from './core/transport.js';
import type { EmergencyStop, EmergencyStopRequest } from './generated/records.js';
import { ApiKeys } from './resources/api-keys.js';
import { Auth } from './resources/auth.js';
import { BrowserSessions } from './resources/browser-sessions.js';
import { Copiers } from './resources/copiers.js';
import { DeviceAuthorizations } from './resources/device-authorizations.js';
import { Events } from './resources/events.js';
import { Exchanges } from './resources/exchanges.js';
import { HealthResource } from './resources/health.js';
import { Lots } from './resources/lots.js';
import { MeResource } from './resources/me.js';
import { Notifications } from './resources/notifications.js';
import { Positions } from './resources/positions.js';
import { PublicKeys } from './resources/public-keys.js';
import { RequestLog } from './resources/request-log.js';
import { Rewards } from './resources/rewards.js';
import { Settings } from './resources/settings.js';
import { Strategies } from './resources/strategies.js';
import { SupportedExchanges } from './resources/supported-exchanges.js';
import { TradePairs } from './resources/trade-pairs.js';
import { Trades } from './resources/trades.js';
import { VersionResource } from './resources/version.js';
import { Webhooks } from './resources/webhooks.js';
import { WithdrawalAddresses } from './resources/withdrawal-addresses.js';
import { Withdrawals } from './resources/withdrawals.js';

export type { ClientOptions } from './core/connection.js';

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A client of the REST and GraphQL APIs. The type parameter is the form of decimals in responses: `number` or `string`.
 *
 * @example
 * import { Client } from '@trading-automation/sdk';
 *
 * const client = new Client({ baseURL: 'http://127.0.0.1:4000', apiKey: process.env.SVC_API_KEY });
 * for await (const trade of client.trades.list({ status: 'FILLED' })) console.log(trade.id, trade.cost);
 */
export class Client<D extends DecimalForm = 'number'> {
  readonly apiKeys: ApiKeys<D>;
  readonly auth: Auth<D>;
  readonly browserSessions: BrowserSessions<D>;
  readonly copiers: Copiers<D>;
  readonly deviceAuthorizations: DeviceAuthorizations<D>;
  readonly events: Events<D>;
  readonly exchanges: Exchanges<D>;
  readonly health: HealthResource<D>;
  readonly me: MeResource<D>;
  readonly notifications: Notifications<D>;
  readonly publicKeys: PublicKeys<D>;
  readonly requestLog: RequestLog<D>;
  readonly rewards: Rewards<D>;
  readonly settings: Settings<D>;
  readonly strategies: Strategies<D>;
  readonly supportedExchanges: SupportedExchanges<D>;
  readonly tradePairs: TradePairs<D>;
  readonly trades: Trades<D>;
  readonly lots: Lots<D>;
  readonly positions: Positions<D>;
  readonly version: VersionResource<D>;
  readonly webhooks: Webhooks<D>;
  readonly withdrawals: Withdrawals<D>;
  readonly withdrawalAddresses: WithdrawalAddresses<D>;
  private readonly operations: OperationClient<D>;

  /**
   * Creates a client. It sends nothing until a method is called.
   *
   * @throws {TypeError} if `baseURL` is missing, if a URL, the API key or the log level is invalid, or if both `apiKey`
   *   and `signer` are set
   * @throws {RangeError} if `timeout` is not above 0, or if `maxRetries` is not an integer of 0 or more
   */
  constructor(options: ClientOptions<D> = {}) {
    const operations = new OperationClient<D>(new Transport(resolveConnection(options)));
    this.operations = operations;
    this.apiKeys = new ApiKeys(operations);
    this.auth = new Auth(operations);
    this.browserSessions = new BrowserSessions(operations);
    this.copiers = new Copiers(operations);
    this.deviceAuthorizations = new DeviceAuthorizations(operations);
    this.events = new Events(operations);
    this.exchanges = new Exchanges(operations);
    this.health = new HealthResource(operations);
    this.me = new MeResource(operations);
    this.notifications = new Notifications(operations);
    this.publicKeys = new PublicKeys(operations);
    this.requestLog = new RequestLog(operations);
    this.rewards = new Rewards(operations);
    this.settings = new Settings(operations);
    this.strategies = new Strategies(operations);
    this.supportedExchanges = new SupportedExchanges(operations);
    this.tradePairs = new TradePairs(operations);
    this.trades = new Trades(operations);
    this.lots = new Lots(operations);
    this.positions = new Positions(operations);
    this.version = new VersionResource(operations);
    this.webhooks = new Webhooks(operations);
    this.withdrawals = new Withdrawals(operations);
    this.withdrawalAddresses = new WithdrawalAddresses(operations);
  }

  /**
   * Pauses every copier and cancels every open order. With `close_positions`, it also closes all positions in perpetuals.
   * Returns the paused copiers, the cancelled trades, the trades that are still open, and those that close positions.
   *
   * @example
   * const { paused_copiers, cancelled, still_open } = await client.emergencyStop();
   */
  emergencyStop(body?: EmergencyStopRequest, options?: RequestOptions): ApiPromise<EmergencyStop<D>> {
    return this.operations.call('emergencyStop.run', { body }, options);
  }

  /**
   * Runs one GraphQL query or mutation. The result type comes from a generated document or from the type argument.
   * The client needs a signer, except for public fields: GraphQL does not accept API keys. Decimals are strings. A
   * mutation takes effect once, even if the client retries it.
   *
   * @example
   * const { me } = await client.graphql<{ me: { id: string } }>('{ me { id } }');
   *
   * @throws {ApiError} the subclass that REST throws for the same code; its `graphql.data` holds the partial data
   */
  graphql<Data = unknown, Variables extends object = Record<string, unknown>>(
    document: GraphqlDocument<Data, Variables>,
    ...[variables, options]: VariablesAndOptions<Variables, RequestOptions>
  ): ApiPromise<Data> {
    // Loaded on first use, so that REST-only clients do not load it.
    const response = import('./core/graphql.js').then(({ sendGraphql }) =>
      sendGraphql(this.operations.transport, document, variables, options),
    );
    return new ApiPromise(response, ({ json }) => (json as { data: Data }).data);
  }

  /**
   * Sends a GET to an endpoint for which the SDK has no method. If the response is not the API's JSON envelope, call
   * `.asResponse()` on the result to get the raw `Response`.
   *
   * @param path including `/v1`
   *
   * @example
   * const { commit } = await client.get<{ commit: string }>('/v1/version');
   */
  get<T = unknown>(path: string, query: object = {}, options?: RequestOptions): ApiPromise<T> {
    return this.raw('GET', pathWith(path, query), undefined, options);
  }

  /**
   * Lists the items of all pages of an endpoint for which the SDK has no method.
   *
   * @param path including `/v1`
   *
   * @example
   * for await (const trade of client.list<{ id: string }>('/v1/trades', { status: 'FILLED' })) console.log(trade.id);
   */
  list<T = unknown>(path: string, query: object = {}, options?: RequestOptions): PagePromise<T> {
    return pages(this.operations.transport, () => ({ method: 'GET', path: pathWith(path, query) }), options);
  }

  /**
   * Sends a POST to an endpoint for which the SDK has no method. The POST takes effect once, even if the client retries
   * it.
   *
   * @example
   * await client.post('/v1/notifications/read-all');
   */
  post<T = unknown>(path: string, body?: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.raw('POST', path, body, options);
  }

  /**
   * Sends a PUT to an endpoint for which the SDK has no method.
   *
   * @example
   * await client.put('/v1/settings/dashboard.theme', { value: 'dark' });
   */
  put<T = unknown>(path: string, body?: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.raw('PUT', path, body, options);
  }

  /**
   * Sends a PATCH to an endpoint for which the SDK has no method.
   *
   * @example
   * await client.patch(`/v1/webhooks/${webhookId}`, { description: 'fills' });
   */
  patch<T = unknown>(path: string, body?: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.raw('PATCH', path, body, options);
  }

  /**
   * Sends a DELETE to an endpoint for which the SDK has no method.
   *
   * @example
   * await client.delete('/v1/settings/dashboard.theme');
   */
  delete<T = unknown>(path: string, body?: unknown, options?: RequestOptions): ApiPromise<T> {
    return this.raw('DELETE', path, body, options);
  }

  /**
   * Streams the server-sent events of an endpoint and reconnects automatically. `data` is an unparsed string: the JSON
   * that a webhook receives for the same event.
   *
   * @example
   * for await (const { id, data } of client.stream('/v1/events/stream', { type: 'trade.filled' })) {
   *   console.log(id, data);
   *   break; // leaving the loop closes the stream
   * }
   */
  stream(
    path: string,
    query: object = {},
    options: EventStreamOptions = {},
  ): AsyncGenerator<ServerSentEvent, void, undefined> {
    const request = { method: 'GET', path: pathWith(path, query) };
    return streamMessages(this.operations.transport, request, options);
  }

  private raw<T>(method: Verb, path: string, body: unknown, options?: RequestOptions): ApiPromise<T> {
    const response: Promise<ApiResponse> = this.operations.transport.send({ method, path, body }, options);
    return new ApiPromise(response, parseData<T>);
  }
}

/** Returns the {@link OperationClient} that a client uses. For the other entry points of the SDK. */
export function operationClientOf<D extends DecimalForm>(client: Client<D>): OperationClient<D> {
  // biome-ignore lint/complexity/useLiteralKeys: private to users, shared within the SDK
  return client['operations'];
}

/** WebSocket clients of the GraphQL API: the client of graphql-ws, and a raw client for invalid behaviour. */

import { once } from 'node:events';
import { signRequest } from '@trading-automation/signed-request';
import { type Client, type ClientOptions, createClient, type FormattedExecutionResult } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { KeyPair } from '../../../rest-api/test/test-rest-api.js';
import { type GraphqlError, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';

export const PROTOCOL = 'graphql-transport-ws';

export interface ServerAddress {
  readonly port: number;
}

export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

export const urlOf = ({ port }: ServerAddress) => `ws://127.0.0.1:${port}/graphql`;

/** Starts two APIs on one database, which notify each other of changes. */
export const startApiPair = async (
  databaseUrl: string,
): Promise<readonly [TestGraphqlApi, TestGraphqlApi]> => [
  await startTestGraphqlApi(databaseUrl),
  await startTestGraphqlApi(databaseUrl),
];

/** Returns errors without their request ids. */
export const withoutRequestIds = (errors: readonly GraphqlError[] | undefined) =>
  errors?.map(({ extensions, ...error }) => ({ ...error, extensions: { ...extensions, request_id: '' } }));

/** Returns the signed parameters of a handshake. */
export const signedHandshake = (
  { privateKey }: KeyPair,
  more: Partial<Parameters<typeof signRequest>[0]> = {},
) => signRequest({ method: 'CONNECT', path: '/graphql', privateKey, ...more });

/** Creates a client of graphql-ws. By default, it connects immediately and does not retry. */
export function clientOf(api: ServerAddress, holder: KeyPair, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    url: urlOf(api),
    webSocketImpl: WebSocket,
    connectionParams: () => signedHandshake(holder),
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => undefined,
    ...options,
  });
}

/** Resolves once the client's socket is closed. */
export function closed(client: Client): Promise<CloseInfo> {
  return new Promise((resolve) => client.on('closed', (event) => resolve(toCloseInfo(event as CloseInfo))));
}

/** Connects a client with `connectionParams`. Returns `open`, or why the socket was closed. */
export async function handshake(
  api: ServerAddress,
  connectionParams: Record<string, unknown> | undefined,
): Promise<CloseInfo | 'open'> {
  const client = createClient({
    url: urlOf(api),
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
    ...(connectionParams === undefined ? {} : { connectionParams }),
  });
  const end = closed(client);
  const outcome = await Promise.race([
    end,
    new Promise<'open'>((resolve) => client.on('connected', () => resolve('open'))),
  ]);
  await client.dispose();
  await end;
  return outcome;
}

const toCloseInfo = ({ code, reason }: CloseInfo): CloseInfo => ({ code, reason });

/** One subscription, with its events and its end. */
export class TestSubscription<Data> {
  readonly received: Data[] = [];
  readonly results: FormattedExecutionResult[] = [];
  /** How the subscription ended; undefined while it continues. */
  ended: 'complete' | readonly GraphqlError[] | CloseInfo | Error | undefined;
  readonly stop: () => void;
  private readonly waiting = new Set<() => void>();

  constructor(client: Client, field: string, query: string, variables: Record<string, unknown> = {}) {
    this.stop = client.subscribe<Record<string, Data>>(
      { query, variables },
      {
        next: (result) => {
          this.results.push(result as FormattedExecutionResult);
          const data = result.data?.[field];
          if (data != null) this.received.push(data);
          this.notifyWaiters();
        },
        error: (error) => this.end(endOf(error)),
        complete: () => this.end('complete'),
      },
    );
  }

  /** Returns all events once there are at least `count`. */
  async waitForCount(count: number): Promise<Data[]> {
    await this.waitUntil(() => this.received.length >= count);
    return this.received;
  }

  /** Resolves once `check` returns true. Fails if the subscription ends before. */
  async waitUntil(check: () => boolean): Promise<void> {
    while (!check()) {
      if (this.ended !== undefined) throw new Error(`the operation ended with ${JSON.stringify(this.ended)}`);
      await this.nextChange();
    }
  }

  async outcome(): Promise<NonNullable<TestSubscription<Data>['ended']>> {
    while (this.ended === undefined) await this.nextChange();
    return this.ended;
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private end(how: NonNullable<TestSubscription<Data>['ended']>): void {
    this.ended = how;
    this.notifyWaiters();
  }

  private notifyWaiters(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

function endOf(error: unknown): NonNullable<TestSubscription<never>['ended']> {
  if (Array.isArray(error)) return error as readonly GraphqlError[];
  return error instanceof Error ? error : toCloseInfo(error as CloseInfo);
}

/** Returns the result of one query or mutation: its data and errors, or the errors of a rejected document. */
export async function executeOverSocket(
  client: Client,
  query: string,
  variables: Record<string, unknown> = {},
  // biome-ignore lint/suspicious/noExplicitAny: its shape is that of the query
): Promise<{ readonly data?: any; readonly errors?: readonly GraphqlError[] }> {
  const subscription = new TestSubscription(client, '', query, variables);
  const end = await subscription.outcome();
  if (end === 'complete') return subscription.results[0] as never;
  if (Array.isArray(end)) return { errors: end };
  throw new Error(`the operation ended with ${JSON.stringify(end)}`);
}

/** A raw client that can violate the protocol. */
export class RawClient {
  readonly messages: { readonly id?: string; readonly type: string; readonly payload?: unknown }[] = [];
  readonly closed: Promise<CloseInfo>;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.notifyWaiters();
      });
    });
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)));
      this.notifyWaiters();
    });
  }

  static async open(
    api: ServerAddress,
    protocols: string[] = [PROTOCOL],
    autoPong = true,
  ): Promise<RawClient> {
    const client = new RawClient(new WebSocket(urlOf(api), protocols, { autoPong }));
    await once(client.socket, 'open');
    return client;
  }

  /** Connects a client. Throws if its handshake is rejected. */
  static async join(api: ServerAddress, holder: KeyPair): Promise<RawClient> {
    const client = await RawClient.open(api);
    client.sendMessage({ type: 'connection_init', payload: signedHandshake(holder) });
    const accepted = client.until(() => client.messages.length > 0).catch(() => client.closed);
    const closeInfo = await Promise.race([accepted, client.closed]);
    if (closeInfo !== undefined) throw new Error(`closed with ${closeInfo.code} ${closeInfo.reason}`);
    return client;
  }

  sendMessage(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables: Record<string, unknown> = {}): void {
    this.sendMessage({ id, type: 'subscribe', payload: { query, variables } });
  }

  /** Returns the payloads that an operation has received so far. */
  // biome-ignore lint/suspicious/noExplicitAny: its shape is that of the query
  payloadsOf(id: string): any[] {
    return this.messages.filter((message) => message.id === id).map(({ payload }) => payload);
  }

  /** Resolves once `check` returns true. Fails if the socket is closed before. */
  async until(check: () => boolean): Promise<void> {
    while (!check()) {
      if (this.socket.readyState === WebSocket.CLOSED) {
        const { code, reason } = await this.closed;
        throw new Error(`the socket was closed with ${code} ${reason}`);
      }
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Stops reading from the connection. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Drops the connection like a lost network. */
  cut(): void {
    this.socket.terminate();
  }

  private notifyWaiters(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

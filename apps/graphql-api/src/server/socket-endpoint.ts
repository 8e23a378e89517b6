/**
 * Serves GraphQL over WebSocket. The `graphql-ws` library implements the protocol, `graphql-transport-ws`.
 *
 * 1. A socket belongs to the credential of its handshake (`socket-callers.ts`).
 * 2. A failed handshake closes the socket with a code of the protocol. Outages and rate limits close it with 1013, so
 *    that clients retry. At most 20 sockets of a network may wait for their handshake; an upgrade above that gets 429.
 * 3. For each event, a subscription is executed and serialized once for all subscribers with the same request. It is
 *    therefore executed without a caller.
 * 4. A mutation whose response was lost can be retried on another socket or over HTTP, with the Idempotency-Key in its
 *    extensions. The extensions of the result say whether it is a stored response.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError, ERRORS } from '@trading-automation/contracts';
import { type Actor, toDomainError } from '@trading-automation/core';
import type { Logger } from '@trading-automation/runtime';
import { parseJsonBody, routedTarget } from '@trading-automation/runtime/http';
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { type Context, handleProtocols, makeServer, type Server as Protocol } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RequestContext } from '../graphql/context.js';
import { formatError } from '../graphql/errors.js';
import { mapAsyncIterator } from '../graphql/map-async-iterator.js';
import type { DocumentCache } from './document-cache.js';
import { GRAPHQL_PATH, type SocketEndpointTiming } from './endpoint-options.js';
import { idempotencyOf } from './idempotency.js';
import { PendingSockets } from './pending-sockets.js';
import type { RequestContexts } from './request-contexts.js';
import { SharedResult, SharedResults } from './shared-results.js';
import { CLOSE_CODES, ClientSocket, SOCKET_TIMING, type SocketTiming } from './socket.js';
import { handshakeOf, type SocketCallers } from './socket-callers.js';

const FRAME_BYTES_MAX = 65_536;
const SUBSCRIPTIONS_MAX = 50;
const INIT_WAIT_MS = 3_000;
const BAD_REQUEST = 4400;
const FORBIDDEN = 4403;
const TRY_AGAIN_LATER = 1013;
/** The response to an upgrade, before there is a WebSocket. */
const TOO_MANY_REQUESTS =
  'HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

interface SocketState {
  readonly socket: ClientSocket;
  /** Ends the socket's count as unauthenticated. */
  readonly releasePending: () => void;
  readonly address: string;
  /**
   * The event source of each active subscription, by its payload. Ids are not unique: a client may reuse the id of a
   * subscription that is still being opened.
   */
  readonly sources: Map<object, AsyncIterator<unknown>>;
  /** The caller; undefined before the handshake. */
  actor?: Actor;
}

/** The request of a client for one operation. */
interface OperationPayload {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: unknown;
  readonly extensions?: unknown;
}

/** Execution arguments of one operation that arrived over a socket. */
interface SocketArgs extends ExecutionArgs {
  readonly requestId: string;
  readonly resultKey: string;
  readonly payload: object;
  readonly sources: SocketState['sources'];
}

export class SocketEndpoint {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols,
  });
  private readonly pending = new PendingSockets();
  private readonly shared = new SharedResults();
  private readonly protocol: Protocol<SocketState>;
  private readonly timing: SocketTiming;

  constructor(
    private readonly documents: DocumentCache,
    private readonly contexts: RequestContexts,
    private readonly callers: SocketCallers,
    private readonly logger: Logger,
    timing: SocketEndpointTiming,
  ) {
    this.timing = { ...SOCKET_TIMING, ...timing };
    this.protocol = makeServer<Record<string, unknown>, SocketState>({
      schema: documents.schema,
      connectionInitWaitTimeout: timing.initWaitMs ?? INIT_WAIT_MS,
      onConnect: (context) => this.onConnect(context),
      onSubscribe: (context, _id, payload) => this.onSubscribe(context, payload),
      execute: (args) => documents.execute(args) as Promise<ExecutionResult>,
      subscribe: (args) => this.subscribe(args as SocketArgs) as Promise<ExecutionResult>,
      onComplete: ({ extra }, _id, payload) => void extra.sources.delete(payload),
      onNext: (_context, _id, _payload, args, result) => this.formatResult(args as SocketArgs, result),
      onError: (_context, _id, _payload, errors) => {
        const requestId = randomUUID();
        return errors.map((error) => formatError(error as Error, requestId, logger)) as never;
      },
    });
  }

  serve(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      if (routedTarget(request.url ?? '').split('?')[0] !== GRAPHQL_PATH) return stream.destroy();
      stream.on('error', () => stream.destroy());
      const releasePending = this.pending.claim(this.callers.addressOf(request));
      if (releasePending === null) return stream.end(TOO_MANY_REQUESTS);
      stream.once('close', releasePending);
      this.sockets.handleUpgrade(request, stream, head, (socket) =>
        this.open(socket, request, releasePending),
      );
    });
  }

  /**
   * Closes every socket and stops accepting sockets. Releases the stream leases, so that clients can reconnect to
   * another process.
   */
  async stop(): Promise<void> {
    const closing = [...this.sockets.clients].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.close(1001, 'Going away');
          setTimeout(() => socket.terminate(), this.timing.lingerMs).unref();
        }),
    );
    this.sockets.close();
    await Promise.all(closing);
    await this.callers.settled();
  }

  private open(socket: WebSocket, request: IncomingMessage, releasePending: () => void): void {
    const client = new ClientSocket(socket, this.timing);
    const extra: SocketState = {
      socket: client,
      releasePending,
      address: this.callers.addressOf(request),
      sources: new Map(),
    };
    client.onClose(() => {
      for (const source of extra.sources.values()) void source.return?.();
    });
    const closed = this.protocol.opened(
      {
        protocol: socket.protocol,
        send: (message) => client.send(message),
        close: (code, reason) => client.close(code ?? 1000, reason ?? ''),
        onMessage: (handle) => {
          socket.on('message', (data) => void this.receive(client, handle, data as Buffer));
        },
      },
      extra,
    );
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => void closed(code, String(reason)).catch(() => undefined));
  }

  /**
   * Parses a message as strictly as an HTTP body and passes it to the protocol. Ignores messages to a closed socket.
   */
  private async receive(
    client: ClientSocket,
    handle: (message: string) => Promise<void>,
    data: Buffer,
  ): Promise<void> {
    if (!client.isOpen) return;
    try {
      let message: unknown;
      try {
        message = parseJsonBody(data);
      } catch {
        return client.close(BAD_REQUEST, 'Invalid message received');
      }
      // The library accepts parsed messages, but would parse a string again.
      if (typeof message === 'string') return client.close(BAD_REQUEST, 'Invalid message received');
      await handle(message as string);
    } catch (error) {
      this.logger.error({ event: 'socket_message.failed', err: error }, 'A message of a socket failed.');
      client.close(4500, 'Internal server error');
    }
  }

  private async onConnect({
    connectionParams = {},
    extra,
  }: Context<Record<string, unknown>, SocketState>): Promise<boolean> {
    try {
      extra.actor = await this.callers.authenticate(connectionParams, extra.address, extra.socket);
      extra.releasePending();
      return extra.socket.isOpen;
    } catch (error) {
      const domainError = toDomainError(error);
      if (!(domainError instanceof DomainError)) throw error;
      const { kind } = ERRORS[domainError.code];
      const isTransient = kind === 'unavailable' || kind === 'rate_limited' || kind === 'internal';
      extra.socket.close(isTransient ? TRY_AGAIN_LATER : FORBIDDEN, domainError.code);
      return false;
    }
  }

  private async onSubscribe(
    context: Context<Record<string, unknown>, SocketState>,
    payload: OperationPayload,
  ): Promise<SocketArgs | readonly GraphQLError[]> {
    const { socket, address, sources } = context.extra;
    // Closing sources count toward a second limit, because a client may resubscribe before they have closed.
    if (
      Object.keys(context.subscriptions).length > SUBSCRIPTIONS_MAX ||
      sources.size > 2 * SUBSCRIPTIONS_MAX
    ) {
      socket.close(CLOSE_CODES.tooMany, 'Too many subscriptions');
      return [new GraphQLError('Too many subscriptions')];
    }
    try {
      await this.callers.charge(context.extra.actor!, address);
      return this.prepare(context.extra, payload);
    } catch (error) {
      return [new GraphQLError((error as Error).message, { originalError: error as Error })];
    }
  }

  /** @throws {DomainError} if a mutation has an invalid Idempotency-Key */
  private prepare(extra: SocketState, payload: OperationPayload): SocketArgs | readonly GraphQLError[] {
    const prepared = this.documents.prepare(payload.query, payload.operationName);
    if ('errors' in prepared) return prepared.errors;
    const requestId = randomUUID();
    const { document, operation } = prepared;
    const variables = (payload.variables ?? {}) as Record<string, unknown>;
    return {
      schema: this.documents.schema,
      document,
      operationName: payload.operationName || null,
      variableValues: variables,
      contextValue: this.contexts.create({
        actor: extra.actor!,
        incoming: handshakeOf({}, extra.address),
        requestId,
        idempotency: operation.operation === 'mutation' ? idempotencyOf(payload) : undefined,
      }),
      requestId,
      resultKey: `${payload.operationName ?? ''}\n${JSON.stringify(variables)}\n${payload.query}`,
      payload,
      sources: extra.sources,
    };
  }

  private async subscribe(args: SocketArgs): Promise<AsyncIterableIterator<unknown> | ExecutionResult> {
    const { document, schema, contextValue, variableValues, operationName } = args;
    const source = await createSourceEventStream({
      schema,
      document,
      contextValue,
      variableValues,
      operationName,
    });
    if (!(Symbol.asyncIterator in source)) return source;
    const events = mapAsyncIterator(source[Symbol.asyncIterator](), (event) =>
      this.shared.getOrExecute(event as object, args.resultKey, async () => {
        const result = await this.documents.execute({
          ...args,
          contextValue: this.anonymousContext(args),
          rootValue: event,
        });
        return new SharedResult(JSON.stringify(this.formatResult(args, result) ?? result));
      }),
    );
    args.sources.set(args.payload, events);
    return events;
  }

  /** Returns a context without a caller, for shared execution. A field that requires a caller fails. */
  private anonymousContext({ requestId }: SocketArgs): RequestContext {
    return this.contexts.create({ actor: null, incoming: handshakeOf({}, ''), requestId });
  }

  /** Formats the errors of a result and marks a stored response. Returns undefined if the result needs no change. */
  private formatResult(args: SocketArgs, result: unknown) {
    if (result instanceof SharedResult) return result as never;
    const { errors, data } = result as { errors?: readonly Error[]; data?: unknown };
    const { isReplayed } = args.contextValue as RequestContext;
    if (errors === undefined && !isReplayed) return undefined;
    return {
      errors: errors?.map((error) => formatError(error, args.requestId, this.logger)),
      data,
      ...(isReplayed ? { extensions: { idempotencyReplayed: true } } : {}),
    } as never;
  }
}

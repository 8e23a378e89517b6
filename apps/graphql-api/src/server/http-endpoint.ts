/**
 * Serves GraphQL over HTTP as its specification requires. The `graphql-http` library renders the responses.
 *
 * 1. The caller is authenticated before the body is parsed. A request without credentials may use only public fields
 *    and cannot introspect the schema.
 * 2. Only the content type `application/json` is accepted, because an HTML form of another site cannot send it.
 * 3. A rejected request has the same status as in REST. An executed operation returns 200 with its errors and data. For
 *    an invalid document or variable, the response contains only errors. Its status is 200 for `application/json` and
 *    400 for `application/graphql-response+json`.
 * 4. Without credentials, a root field that does not exist is rejected like one that requires credentials.
 */
import { DomainError } from '@trading-automation/contracts';
import { type Actor, parseIdempotencyKey, toDomainError } from '@trading-automation/core';
import type { IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import { type Logger, toErrorResponse } from '@trading-automation/runtime';
import {
  bodyRefusal,
  discardRest,
  disconnectSignal,
  headerOf,
  incomingOf,
  parseJsonRequest,
  recordWhenSent,
  sendResponse,
  TARGET_LENGTH_MAX,
} from '@trading-automation/runtime/http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationTypeNode } from 'graphql';
import { createHandler, type RequestParams } from 'graphql-http';
import type { RequestContext } from '../graphql/context.js';
import { formatError } from '../graphql/errors.js';
import type { DocumentCache } from './document-cache.js';
import { GRAPHQL_PATH } from './endpoint-options.js';
import { sendGraphiql, serveGraphiqlAssets } from './graphiql.js';
import { fingerprintOf } from './idempotency.js';
import { pathOf, registerNotFound, sendNotFound } from './not-found.js';
import { PersistedQueries, PersistedQueryNotFound } from './persisted-queries.js';
import type { RequestAuthenticator } from './request-authenticator.js';
import type { RequestContexts } from './request-contexts.js';

export const BODY_BYTES_MAX = 102_400;

const RESPONSE_TYPE = 'application/graphql-response+json';
const MEDIA_TYPES = ['application/json', 'application/*', '*/*', RESPONSE_TYPE];

export interface HttpEndpointSettings {
  /** Root fields that need no credentials. */
  readonly publicFields: ReadonlySet<string>;
  /** True if GraphiQL is served to browsers. */
  readonly hasGraphiql: boolean;
}

export class HttpEndpoint {
  private readonly persistedQueries = new PersistedQueries();

  constructor(
    private readonly documents: DocumentCache,
    private readonly authenticator: RequestAuthenticator,
    private readonly contexts: RequestContexts,
    private readonly logger: Logger,
    private readonly settings: HttpEndpointSettings,
  ) {}

  serve(server: FastifyInstance): void {
    if (this.settings.hasGraphiql) serveGraphiqlAssets(server);
    registerNotFound(server);
    server.route({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      exposeHeadRoute: false,
      onRequest: (request, reply, done) => {
        if (pathOf(request) !== GRAPHQL_PATH) return sendNotFound(server, request, reply);
        // Without a content type, Fastify reads the body as bytes. The endpoint checks the content type later, after
        // the credentials, in `rawHeaders`.
        delete request.raw.headers['content-type'];
        done();
      },
      errorHandler: (error: FastifyError, request, reply) => {
        reply.removeHeader('connection');
        discardRest(request.raw);
        this.sendError(request, reply, withBodyLimit(bodyRefusal(error)));
      },
      handler: async (request, reply) => {
        await this.handle(request, reply);
        return reply;
      },
    });
  }

  private async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.settings.hasGraphiql && (await sendGraphiql(request, reply))) return;
    const incoming = incomingOf(request);
    const limits = this.authenticator.limitsOf(incoming.address);
    try {
      const actor = await this.authenticator.identify(incoming, limits);
      await this.execute({ request, reply, incoming, limits, actor });
    } catch (error) {
      this.sendError(request, reply, error, limits);
    }
    recordWhenSent(reply, limits.caller);
  }

  private async execute(httpOperation: HttpOperation): Promise<void> {
    const { request, reply, incoming, limits, actor } = httpOperation;
    const params = this.persistedQueries.resolve(paramsOf(incoming), actor !== null);
    const key = incoming.method === 'POST' ? parseIdempotencyKey(incoming.rawHeaders) : undefined;
    const context = this.contexts.create({
      actor,
      incoming,
      requestId: request.id,
      disconnected: () => disconnectSignal(reply),
      idempotency: key === undefined ? undefined : { key, fingerprint: fingerprintOf(params) },
    });
    // Only the response to a query is compressed: a mutation may return a secret.
    let isQuery = false;
    const handle = this.handlerOf(httpOperation, params, context, (type) => {
      isQuery = type === 'query';
    });
    const [body, { status, headers }] = await handle({
      method: incoming.method,
      url: incoming.target,
      headers: request.raw.headers as Record<string, string>,
      body: null,
      raw: request.raw,
      context: undefined,
    });
    const rateLimit = limits.headers;
    sendResponse(reply, {
      status,
      headers: { ...headers, ...(context.isReplayed ? { 'idempotency-replayed': 'true' } : {}) },
      body: body ?? JSON.stringify({ errors: [this.format(notAcceptable(), request)] }),
      isSecret: !isQuery,
      ...(rateLimit === undefined ? {} : { rateLimit }),
    });
  }

  /** Returns the library's handler of one operation. */
  private handlerOf(
    { request, incoming, actor }: HttpOperation,
    params: RequestParams,
    context: RequestContext,
    onOperationType: (type: OperationTypeNode) => void,
  ) {
    const mediaType = mediaTypeOf(incoming);
    return createHandler({
      parseRequestParams: () => params,
      onSubscribe: () => {
        const prepared = this.documents.prepare(params.query, params.operationName);
        if (actor === null) assertPublic(prepared.rootFields, this.settings.publicFields);
        if ('errors' in prepared) return actor === null ? prepared.anonymousErrors : prepared.errors;
        const { document, operation } = prepared;
        onOperationType(operation.operation);
        if (incoming.method === 'GET' && operation.operation === 'mutation') throw mutationRequiresPost();
        return {
          schema: this.documents.schema,
          document,
          operationName: params.operationName || null,
          variableValues: params.variables ?? null,
          contextValue: context as never,
        };
      },
      execute: (args) => this.documents.execute(args),
      formatError: (error: Error) => this.format(error, request),
      // Serialize here, because the library would serialize with a replacer function that visits every member.
      onOperation: (_request, _args, result) => {
        const { errors, data } = result as { errors?: readonly Error[]; data?: unknown };
        const formatted = errors?.map((error) => this.format(error, request));
        // If `data` is undefined, a variable was invalid and nothing was executed.
        const isBadRequest = data === undefined && mediaType.startsWith(RESPONSE_TYPE);
        const [status, statusText] = isBadRequest ? [400, 'Bad Request'] : [200, 'OK'];
        const body = JSON.stringify(formatted === undefined ? { data } : { errors: formatted, data });
        return [body, { status, statusText, headers: { 'content-type': mediaType } }];
      },
    });
  }

  private format(error: Error, request: FastifyRequest): never {
    return formatError(error, request.id, this.logger) as never;
  }

  /** Sends the error of a request that was not executed. */
  private sendError(
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
    limits?: RequestLimits,
  ): void {
    const { status, headers } = toErrorResponse(toDomainError(error), request.id);
    const mediaType = mediaTypeOf(request.raw);
    const rateLimit = limits?.headers;
    sendResponse(reply, {
      // Clients expect this error in a response with status 200.
      status: error instanceof PersistedQueryNotFound ? 200 : status,
      headers: { ...headers, ...(status === 405 ? { allow: 'POST' } : {}), 'content-type': mediaType },
      body: JSON.stringify({ errors: [this.format(error as Error, request)] }),
      ...(rateLimit === undefined ? {} : { rateLimit }),
    });
  }
}

interface HttpOperation {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly incoming: IncomingRequest;
  readonly limits: RequestLimits;
  readonly actor: Actor | null;
}

/**
 * Throws if a document selects a root field that requires credentials. Called for anonymous callers, before
 * execution.
 */
function assertPublic(names: readonly string[], publicFields: ReadonlySet<string>): void {
  if (names.every((name) => name === '__typename' || publicFields.has(name))) return;
  throw new DomainError('authentication_required', 'Sign the request, or send an access token as Bearer.');
}

/**
 * Returns the parameters of a request, from the query of a GET or the body of a POST.
 *
 * @throws {DomainError} if they are malformed
 */
function paramsOf(incoming: IncomingRequest): RequestParams {
  if (incoming.target.length > TARGET_LENGTH_MAX)
    throw new DomainError(
      'invalid_query',
      `The request target exceeds ${TARGET_LENGTH_MAX} bytes. Use POST.`,
    );
  const params = incoming.method === 'GET' ? queryOf(incoming.target) : parseJsonRequest(incoming);
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw malformed(
      'body',
      Array.isArray(params)
        ? 'Batches are not supported. Send only one operation per request.'
        : 'Expected an object with `query`.',
    );
  const { query, operationName, variables, extensions } = params as Record<string, unknown>;
  if (query != null && typeof query !== 'string') throw malformed('query', 'Expected a string.');
  if (operationName != null && typeof operationName !== 'string')
    throw malformed('operationName', 'Expected a string.');
  for (const [name, value] of Object.entries({ variables, extensions }))
    if (value != null && (typeof value !== 'object' || Array.isArray(value)))
      throw malformed(name, 'Expected an object.');
  return { query, operationName, variables, extensions } as RequestParams;
}

function queryOf(target: string): Record<string, unknown> {
  const at = target.indexOf('?');
  const parameters = new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
  const values: Record<string, unknown> = Object.fromEntries(parameters);
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name);
    if (text !== null) values[name] = parseJsonRequest({ rawHeaders: JSON_HEADERS, body: Buffer.from(text) });
  }
  return values;
}

const JSON_HEADERS = ['content-type', 'application/json'];

function malformed(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'invalid_type', message }]);
}

function withBodyLimit(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.code !== 'payload_too_large') return error;
  return new DomainError(
    'payload_too_large',
    `The body exceeds ${BODY_BYTES_MAX / 1024} KiB. Send less data.`,
  );
}

/** Returns the first accepted media type, as the library selects it. */
function mediaTypeOf(incoming: Pick<IncomingRequest, 'rawHeaders'>): string {
  const accepted = (headerOf(incoming, 'accept') ?? '').toLowerCase().split(',');
  const first = accepted
    .map((range) => range.split(';')[0]!.trim())
    .find((range) => MEDIA_TYPES.includes(range));
  return `${first === RESPONSE_TYPE ? RESPONSE_TYPE : 'application/json'}; charset=utf-8`;
}

function notAcceptable(): DomainError {
  return new DomainError(
    'validation_failed',
    `Send an Accept header that includes ${RESPONSE_TYPE} or application/json.`,
  );
}

function mutationRequiresPost(): DomainError {
  return new DomainError('method_not_allowed', 'Mutations require POST. Send the request by POST.');
}

/**
 * Handles HTTP requests to one operation: parses the bytes for the pipeline (`core/operations`) and renders its result.
 * Independent of the server.
 */
import { DomainError, type Operation } from '@trading-automation/contracts';
import {
  type Actor,
  type CommandRunner,
  OperationPipeline,
  type OperationRequest,
  parseIdempotencyKey,
  ResponseReplayed,
} from '@trading-automation/core';
import { type IncomingRequest, identifyCaller, type RequestLimits } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import { headerOf, parseJsonRequest } from '@trading-automation/runtime/http';
import { fingerprintOf, fromStoredResponse, toStoredResponse } from './idempotency-key.js';
import type { ResultMapper } from './operation.js';
import { parseQueryString } from './query-string.js';
import {
  compileResponses,
  decimalModeOf,
  logError,
  type RenderedResponse,
  renderError,
} from './rendering.js';

/** A request whose body has been read, with its id and path parameters. */
export interface ReceivedRequest extends IncomingRequest {
  readonly requestId: string;
  /** Values of the path parameters. */
  readonly params: Readonly<Record<string, string>>;
}

export interface OperationHandlerDependencies {
  readonly operation: Operation;
  /** Calls the controller's method. */
  readonly invoke: (call: unknown) => unknown;
  readonly mapResult: ResultMapper;
  /** Authenticates the caller and counts the request toward the limits of its credential. */
  readonly authenticate: (incoming: IncomingRequest, limits: RequestLimits) => Promise<Actor | null>;
  /** Returns the rate limits of a request to this operation from an IP address. */
  readonly limitsOf: (address: string) => RequestLimits;
  readonly commands: Pick<CommandRunner, 'run'>;
  readonly logger: Logger;
}

export class OperationHandler {
  readonly operation: Operation;
  private readonly pipeline: OperationPipeline;
  private readonly render: ReturnType<typeof compileResponses>;

  constructor(private readonly parts: OperationHandlerDependencies) {
    this.operation = parts.operation;
    this.pipeline = new OperationPipeline(parts.operation);
    this.render = compileResponses(parts.operation);
  }

  /** Never throws: errors are rendered as responses. */
  async handle(request: ReceivedRequest): Promise<RenderedResponse> {
    const limits = this.parts.limitsOf(request.address);
    const rendered = await this.outcome(request, limits);
    const rateLimit = limits.headers;
    return rateLimit === undefined ? rendered : { ...rendered, rateLimit };
  }

  private async outcome(request: ReceivedRequest, limits: RequestLimits): Promise<RenderedResponse> {
    try {
      return await this.perform(request, limits);
    } catch (error) {
      if (error instanceof ResponseReplayed) return fromStoredResponse(error.response);
      const { operation, logger } = this.parts;
      logError(logger, error, { request_id: request.requestId, operation: operation.id });
      return renderError(error, request.requestId);
    }
  }

  private async perform(request: ReceivedRequest, limits: RequestLimits): Promise<RenderedResponse> {
    const { commands, invoke, mapResult } = this.parts;
    const rendering = { target: request.target, decimals: decimalsOf(request) };
    // The stored response is the response that is sent.
    let stored: RenderedResponse | undefined;
    const operationRequest: OperationRequest = {
      identify: () => this.identify(request, limits),
      charge: async (caller) => {
        if (caller === null) await limits.takeByAddress();
      },
      read: () => {
        const body = parseJsonRequest(request);
        return { query: parseQueryString(request.target), body, params: request.params };
      },
      idempotency: () => this.idempotencyOf(request),
      store: (outcome) => {
        stored =
          'error' in outcome
            ? renderError(outcome.error, request.requestId)
            : this.render(mapResult(outcome.value), rendering);
        return toStoredResponse(stored);
      },
      invoke: (call) => invoke({ ...call, incoming: request }),
    };
    const { result } = await this.pipeline.run(operationRequest, commands);
    return stored ?? this.render(mapResult(result), rendering);
  }

  /**
   * Identifies the caller. A public operation ignores credentials. Missing ones are rejected here, before the pipeline
   * would, so that they cost the address a token like invalid ones.
   */
  private identify(request: ReceivedRequest, limits: RequestLimits): Promise<Actor | null> {
    const { access } = this.operation;
    return identifyCaller(request, limits, async () => {
      if (access === 'PUBLIC') return null;
      const caller = await this.parts.authenticate(request, limits);
      if (caller === null && access !== 'CHALLENGE') throw new DomainError('authentication_required');
      return caller;
    });
  }

  private idempotencyOf(request: ReceivedRequest) {
    const key = parseIdempotencyKey(request.rawHeaders);
    return key === undefined
      ? undefined
      : { route: this.operation.id, key, fingerprint: fingerprintOf(request) };
  }
}

const decimalsOf = (request: IncomingRequest) => decimalModeOf(headerOf(request, 'accept'));

/**
 * Handles the HTTP requests of one operation: parses each request for the pipeline (`core/operations`) and renders the
 * result. This file does not depend on the HTTP server.
 */
import type { Operation } from '@trading-automation/contracts';
import {
  type CommandRunner,
  OperationPipeline,
  type OperationRequest,
  parseIdempotencyKey,
  ResponseReplayed,
} from '@trading-automation/core';
import type { IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import { headerOf, parseJsonRequest } from '@trading-automation/runtime/http';
import { fingerprintOf, fromStoredResponse, toStoredResponse } from './idempotency-key.js';
import type { BoundOperation } from './operation.js';
import { parseQueryString } from './query-string.js';
import {
  compileResponses,
  decimalModeOf,
  logError,
  type RenderedResponse,
  renderError,
} from './rendering.js';
import type { RequestAdmission } from './request-admission.js';

/** A request whose body has been read, with its id and path parameters. */
export interface ReceivedRequest extends IncomingRequest {
  readonly requestId: string;
  /** Values of the path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Returns a signal that is aborted if the client disconnects. */
  readonly disconnected: () => AbortSignal;
}

export class OperationHandler {
  readonly operation: Operation;
  private readonly pipeline: OperationPipeline;
  private readonly render: ReturnType<typeof compileResponses>;

  constructor(
    private readonly bound: BoundOperation,
    private readonly admission: RequestAdmission,
    private readonly commands: Pick<CommandRunner, 'run' | 'share'>,
    private readonly logger: Logger,
  ) {
    this.operation = bound.operation;
    this.pipeline = new OperationPipeline(bound.operation);
    this.render = compileResponses(bound.operation);
  }

  /** Never throws: errors are rendered as responses. */
  async handle(request: ReceivedRequest): Promise<RenderedResponse> {
    const limits = this.admission.limitsOf(request.address);
    const rendered = await this.respond(request, limits);
    const rateLimit = limits.headers;
    return rateLimit === undefined ? rendered : { ...rendered, rateLimit };
  }

  private async respond(request: ReceivedRequest, limits: RequestLimits): Promise<RenderedResponse> {
    try {
      return await this.perform(request, limits);
    } catch (error) {
      if (error instanceof ResponseReplayed) return fromStoredResponse(error.response);
      logError(this.logger, error, { request_id: request.requestId, operation: this.operation.id });
      return renderError(error, request.requestId);
    }
  }

  private async perform(request: ReceivedRequest, limits: RequestLimits): Promise<RenderedResponse> {
    const rendering = { target: request.target, decimals: decimalsOf(request) };
    // With an Idempotency-Key, the client gets exactly the response that is stored.
    let stored: RenderedResponse | undefined;
    const operationRequest: OperationRequest = {
      identify: () => this.admission.identify(request, limits),
      charge: (caller) => this.admission.charge(caller, limits),
      read: () => {
        const body = parseJsonRequest(request);
        return { query: parseQueryString(request.target), body, params: request.params };
      },
      idempotency: () => this.idempotencyOf(request),
      renderStored: (outcome) => {
        stored =
          'error' in outcome
            ? renderError(outcome.error, request.requestId)
            : this.render(this.bound.dataOf(outcome.value), rendering);
        return toStoredResponse(stored);
      },
      disconnected: request.disconnected,
      invoke: (call) => this.bound.invoke({ ...call, incoming: request }),
    };
    const { result } = await this.pipeline.run(operationRequest, this.commands);
    return stored ?? this.render(this.bound.dataOf(result), rendering);
  }

  private idempotencyOf(request: ReceivedRequest) {
    const key = parseIdempotencyKey(request.rawHeaders);
    return key === undefined
      ? undefined
      : { route: this.operation.id, key, fingerprint: fingerprintOf(request) };
  }
}

const decimalsOf = (request: IncomingRequest) => decimalModeOf(headerOf(request, 'accept'));

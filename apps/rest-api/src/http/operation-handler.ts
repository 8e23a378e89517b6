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
  type StoredOutcome,
  StoredOutcomes,
} from '@trading-automation/core';
import type { ChargedCaller, IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import { headerOf, parseJsonRequest } from '@trading-automation/runtime/http';
import { fingerprintsOf, fromFormerResponse } from './idempotency-key.js';
import { type BoundOperation, OperationResponse } from './operation.js';
import { parseQueryString } from './query-string.js';
import {
  compileResponses,
  decimalModeOf,
  logError,
  type RenderedResponse,
  renderError,
  withHeaders,
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

/** The response, and the caller whose credential the request has. */
interface HandledRequest extends RenderedResponse {
  readonly caller: ChargedCaller | undefined;
}

export class OperationHandler {
  readonly operation: Operation;
  private readonly pipeline: OperationPipeline;
  private readonly render: ReturnType<typeof compileResponses>;
  private readonly storedOutcomes: StoredOutcomes;

  constructor(
    private readonly bound: BoundOperation,
    private readonly admission: RequestAdmission,
    private readonly commands: Pick<CommandRunner, 'run' | 'share'>,
    private readonly logger: Logger,
  ) {
    this.operation = bound.operation;
    this.pipeline = new OperationPipeline(bound.operation);
    this.render = compileResponses(bound.operation);
    this.storedOutcomes = new StoredOutcomes(bound.operation);
  }

  /** Never throws: errors are rendered as responses. */
  async handle(request: ReceivedRequest): Promise<HandledRequest> {
    const limits = this.admission.limitsOf(request.address);
    const rendered = await this.respond(request, limits);
    const { headers: rateLimit, caller } = limits;
    return rateLimit === undefined ? { ...rendered, caller } : { ...rendered, rateLimit, caller };
  }

  private async respond(request: ReceivedRequest, limits: RequestLimits): Promise<RenderedResponse> {
    try {
      return await this.perform(request, limits);
    } catch (error) {
      if (error instanceof ResponseReplayed) return this.replay(error.response, request);
      logError(this.logger, error, { request_id: request.requestId, operation: this.operation.id });
      return renderError(error, request.requestId);
    }
  }

  private async perform(request: ReceivedRequest, limits: RequestLimits): Promise<RenderedResponse> {
    // With an Idempotency-Key, the client gets the value that is stored.
    let stored: { readonly result: unknown } | undefined;
    const operationRequest: OperationRequest = {
      address: request.address,
      identify: () => this.admission.identify(request, limits),
      charge: (caller) => this.admission.charge(caller, limits),
      read: () => {
        const body = parseJsonRequest(request);
        return { query: parseQueryString(request.target), body, params: request.params };
      },
      idempotency: () => this.idempotencyOf(request),
      serialize: (outcome) => {
        if ('error' in outcome) return this.storedOutcomes.write(outcome);
        const result = this.bound.dataOf(outcome.value);
        stored = { result };
        return this.storedOutcomes.write(outcomeOf(result));
      },
      disconnected: request.disconnected,
      invoke: (call) => this.bound.invoke({ ...call, incoming: request }),
    };
    const { result } = await this.pipeline.run(operationRequest, this.commands);
    return this.render(
      stored === undefined ? this.bound.dataOf(result) : stored.result,
      renderingOf(request),
    );
  }

  /** Renders the stored outcome of an earlier request for this request. An error has the id of this request. */
  private replay(response: ResponseReplayed['response'], request: ReceivedRequest): RenderedResponse {
    const outcome = this.storedOutcomes.read(response);
    const rendered =
      outcome === undefined
        ? {
            ...fromFormerResponse(response, request.requestId),
            isSecret: this.operation.returnsSecret === true,
          }
        : 'error' in outcome
          ? renderError(outcome.error, request.requestId)
          : this.render(new OperationResponse(outcome.data, outcome), renderingOf(request));
    return withHeaders(rendered, { 'idempotency-replayed': 'true' });
  }

  private idempotencyOf(request: ReceivedRequest) {
    const key = parseIdempotencyKey(request.rawHeaders);
    return key === undefined ? undefined : { route: this.operation.id, key, ...fingerprintsOf(request) };
  }
}

function renderingOf(request: ReceivedRequest) {
  return { target: request.target, decimals: decimalModeOf(headerOf(request, 'accept')) };
}

function outcomeOf(result: unknown): StoredOutcome {
  return result instanceof OperationResponse ? { data: result.data, ...result.options } : { data: result };
}

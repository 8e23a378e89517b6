/**
 * Answers requests to one operation over HTTP: reads bytes for the pipeline (`core/operations`), and renders what comes
 * of it. Knows nothing of the server.
 */
import { DomainError, type Operation } from '@trading-automation/contracts';
import {
  type Actor,
  AnswerReplayed,
  type Commands,
  idempotencyKeyIn,
  OperationPipeline,
  type OperationRequest,
} from '@trading-automation/core';
import { type IncomingRequest, identifyCaller, type RequestLimits } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import { headerOf, readJson } from '@trading-automation/runtime/http';
import { fingerprintOf, keep, replayed } from './idempotency-key.js';
import type { Present } from './operation.js';
import { parseQueryString } from './query-string.js';
import { compileAnswers, decimalModeOf, logError, type Rendered, renderError } from './rendering.js';

/** A request whose body has been read, with what the transport knows of it. */
export interface ReceivedRequest extends IncomingRequest {
  readonly requestId: string;
  /** Values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
}

export interface OperationHandlerParts {
  readonly operation: Operation;
  /** Calls the controller. */
  readonly invoke: (call: unknown) => unknown;
  readonly present: Present;
  /** Finds the caller, and takes from the limits of its credential. */
  readonly authenticate: (incoming: IncomingRequest, limits: RequestLimits) => Promise<Actor | null>;
  /** The limits of a request to this operation from an address. */
  readonly limitsOf: (address: string) => RequestLimits;
  readonly commands: Pick<Commands, 'run'>;
  readonly logger: Logger;
}

export class OperationHandler {
  readonly operation: Operation;
  private readonly pipeline: OperationPipeline;
  private readonly render: ReturnType<typeof compileAnswers>;

  constructor(private readonly parts: OperationHandlerParts) {
    this.operation = parts.operation;
    this.pipeline = new OperationPipeline(parts.operation);
    this.render = compileAnswers(parts.operation);
  }

  /** Never throws: an error is rendered as an answer too. */
  async answer(request: ReceivedRequest): Promise<Rendered> {
    const limits = this.parts.limitsOf(request.address);
    const rendered = await this.outcome(request, limits);
    const rateLimit = limits.headers;
    return rateLimit === undefined ? rendered : { ...rendered, rateLimit };
  }

  private async outcome(request: ReceivedRequest, limits: RequestLimits): Promise<Rendered> {
    try {
      return await this.perform(request, limits);
    } catch (error) {
      if (error instanceof AnswerReplayed) return replayed(error.answer);
      const { operation, logger } = this.parts;
      logError(logger, error, { request_id: request.requestId, operation: operation.id });
      return renderError(error, request.requestId);
    }
  }

  private async perform(request: ReceivedRequest, limits: RequestLimits): Promise<Rendered> {
    const { commands, invoke, present } = this.parts;
    const rendering = { target: request.target, decimals: decimalsOf(request) };
    // The answer that is stored is the answer that is sent.
    let stored: Rendered | undefined;
    const operationRequest: OperationRequest = {
      identify: () => this.identify(request, limits),
      charge: async (caller) => {
        if (caller === null) await limits.takeByAddress();
      },
      read: () => {
        const body = readJson(request);
        return { query: parseQueryString(request.target), body, params: request.params };
      },
      idempotency: () => this.idempotencyOf(request),
      store: (outcome) => {
        stored =
          'error' in outcome
            ? renderError(outcome.error, request.requestId)
            : this.render(present(outcome.value), rendering);
        return keep(stored);
      },
      invoke: (call) => invoke({ ...call, incoming: request }),
    };
    const { result } = await this.pipeline.run(operationRequest, commands);
    return stored ?? this.render(present(result), rendering);
  }

  /** A public operation ignores credentials. */
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
    const key = idempotencyKeyIn(request.rawHeaders);
    return key === undefined
      ? undefined
      : { route: this.operation.id, key, fingerprint: fingerprintOf(request) };
  }
}

const decimalsOf = (request: IncomingRequest) => decimalModeOf(headerOf(request, 'accept'));

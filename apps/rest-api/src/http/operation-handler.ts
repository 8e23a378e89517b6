/**
 * What happens to a request that has found its operation, in the published order of checks: the limits of its
 * address, credentials, the limits of those, permission, content type, JSON, query, body, ids; then the use-case.
 *
 * Knows nothing of the server: a request comes in as bytes, an answer leaves as text.
 */
import { type DecimalMode, DomainError, type Operation } from '@trading-automation/contracts';
import {
  type Actor,
  AnswerReplayed,
  authorise,
  idempotencyKeyIn,
  type OnceRequest,
  querySchemaOf,
  userIdOfStranger,
} from '@trading-automation/core';
import {
  assertNoCredentialInQuery,
  type IncomingRequest,
  isFailedAuthentication,
  type RequestLimits,
} from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import { check, headerOf, readJson } from '@trading-automation/runtime/http';
import { z } from 'zod';
import { fingerprintOf, keep, replayed } from './idempotency-key.js';
import type { Present } from './operation.js';
import { parseQueryString } from './query-string.js';
import { compileAnswers, decimalModeOf, logError, type Rendered, refused, renderError } from './rendering.js';

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
  /** Keeps a refusal as the answer to come again, and throws it; or throws what was answered before. */
  readonly keepRefusal: (once: OnceRequest, refusal: unknown) => Promise<void>;
  readonly logger: Logger;
}

interface Rendering {
  readonly target: string;
  readonly decimals: DecimalMode;
}

/** Takes the place of a body schema where an operation has none: no body, or an empty object. */
const NO_BODY = z.strictObject({}).optional();

export class OperationHandler {
  readonly operation: Operation;
  private readonly query: z.ZodType;
  private readonly body: z.ZodType;
  private readonly render: ReturnType<typeof compileAnswers>;

  constructor(private readonly parts: OperationHandlerParts) {
    const { operation } = parts;
    this.operation = operation;
    this.query = querySchemaOf(operation);
    this.body = operation.bodyOptional === true ? operation.body!.optional() : (operation.body ?? NO_BODY);
    this.render = compileAnswers(operation);
  }

  /** Never throws: what goes wrong is an answer too. */
  async answer(request: ReceivedRequest): Promise<Rendered> {
    const limits = this.parts.limitsOf(request.address);
    const rendered = await this.judge(request, limits);
    const rateLimit = limits.headers;
    return rateLimit === undefined ? rendered : { ...rendered, rateLimit };
  }

  private async judge(request: ReceivedRequest, limits: RequestLimits): Promise<Rendered> {
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
    const caller = await this.admit(request, limits);
    const rendering = { target: request.target, decimals: decimalsOf(request) };
    const key = this.operation.method === 'POST' ? idempotencyKeyIn(request.rawHeaders) : undefined;
    const parsed = await this.parse(request, caller, key, rendering);
    const keeper = key === undefined ? undefined : this.keeper(request, key, caller, parsed.body, rendering);
    const once = keeper?.once;
    const actor = caller === null || once === undefined ? caller : { ...caller, once };
    const result = await this.parts.invoke({ actor, once, ...parsed, incoming: request });
    return keeper?.kept() ?? this.render(this.parts.present(result), rendering);
  }

  /** A stranger is known by the body alone: where that can't be read there is nobody to keep the refusal for. */
  private async parse(
    request: ReceivedRequest,
    caller: Actor | null,
    key: string | undefined,
    rendering: Rendering,
  ) {
    try {
      const json = readJson(request);
      const query = this.readQuery(request.target);
      const body = this.readBody(json);
      return { query, body, params: this.readParams(request.params) };
    } catch (refusal) {
      if (key !== undefined && caller !== null)
        await this.parts.keepRefusal(this.keeper(request, key, caller, undefined, rendering).once, refusal);
      throw refusal;
    }
  }

  private async admit(request: IncomingRequest, limits: RequestLimits): Promise<Actor | null> {
    const { access } = this.operation;
    limits.assertAddressAdmitted();
    const caller = await this.identify(request, limits);
    if (caller === null) await limits.takeByAddress();
    else if (access !== 'PUBLIC' && access !== 'CHALLENGE') authorise(caller, access);
    return caller;
  }

  /** Null where there are no credentials, and none are needed. One that fails costs its address a token. */
  private async identify(request: IncomingRequest, limits: RequestLimits): Promise<Actor | null> {
    const { access } = this.operation;
    try {
      assertNoCredentialInQuery(request.target);
      if (access === 'PUBLIC') return null;
      const caller = await this.parts.authenticate(request, limits);
      if (caller === null && access !== 'CHALLENGE') throw new DomainError('authentication_required');
      return caller;
    } catch (error) {
      if (isFailedAuthentication(error)) await limits.takeForFailure();
      throw error;
    }
  }

  private readQuery(target: string): unknown {
    const checked = check(this.query, parseQueryString(target), 'parameter');
    if ('details' in checked) throw refused('invalid_query', checked.details);
    return checked.data;
  }

  private readBody(json: unknown): unknown {
    if (json === undefined && this.parts.operation.body !== undefined && !this.parts.operation.bodyOptional)
      throw refused('validation_failed', [{ code: 'required', message: 'A JSON body is required.' }]);
    const checked = check(this.body, json, 'field');
    if ('details' in checked) throw refused('validation_failed', checked.details);
    return checked.data;
  }

  private readParams(given: ReceivedRequest['params']): unknown {
    const { params } = this.parts.operation;
    if (params === undefined) return given;
    const parsed = params.safeParse(given);
    // What can't be an id is the id of nothing.
    if (!parsed.success) throw new DomainError('not_found');
    return parsed.data;
  }

  /** How this request is answered once. */
  private keeper(
    request: ReceivedRequest,
    key: string,
    caller: Actor | null,
    body: unknown,
    rendering: Rendering,
  ) {
    const { operation, present } = this.parts;
    const userId = caller?.userId ?? userIdOfStranger(body);
    let kept: Rendered | undefined;
    const once: OnceRequest = {
      request: { userId, route: operation.id, key, fingerprint: fingerprintOf(request) },
      render: (outcome) => {
        kept =
          'error' in outcome
            ? renderError(outcome.error, request.requestId)
            : this.render(present(outcome.value), rendering);
        return keep(kept);
      },
    };
    // What was kept is what is sent: the two can't differ.
    return { once, kept: () => kept };
  }
}

const decimalsOf = (request: IncomingRequest) => decimalModeOf(headerOf(request, 'accept'));

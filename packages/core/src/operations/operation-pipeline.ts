/**
 * Runs one call of an operation, over any transport.
 *
 * Only this file defines the published order of checks: caller, limits, permission, input syntax, query, body, path
 * parameters, then the use-case. Route, method, size and the rate limit of the client's address are checked earlier,
 * before the operation is known.
 *
 * 1. The use-case runs only after every check has passed.
 * 2. With an Idempotency-Key, the outcome is stored in the transaction of the effect. The rejection of an input is stored
 *    too.
 * 3. Users share the process: of each user, a limited number of use-cases runs at a time, and the others wait. Use-cases
 *    that wait for an exchange or a receiver are limited elsewhere (`persistence/process-calls.ts`).
 * 4. A transport only supplies the input under its wire names and renders the outcome.
 */
import { compileNullRemoval, DomainError, type Operation } from '@trading-automation/contracts';
import { z } from 'zod';
import { type Actor, authorise, authoriseOperation } from './actor.js';
import type { CommandRunner, IdempotencyContext } from './command-runner.js';
import { anonymousUserId } from './idempotency-key.js';
import { querySchemaOf } from './list-reader.js';
import { checkInput } from './validate.js';

/** Input under its wire names, before validation. */
interface WireInput {
  readonly query: unknown;
  /** Undefined if the request has no body. */
  readonly body: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The Idempotency-Key of a request, and the fingerprint that identifies equal requests. */
export interface RequestIdempotency {
  readonly route: string;
  readonly key: string;
  readonly fingerprint: Uint8Array;
  /** The fingerprint that the previous release stored for the same request, if it differs. */
  readonly formerFingerprint?: Uint8Array;
}

/** One request to an operation, as its transport received it. */
export interface OperationRequest {
  /** The IP address of the client. */
  readonly address: string;
  /** Identifies the caller; null if the request has no credentials. @throws {DomainError} if they are invalid */
  identify(): Promise<Actor | null>;
  /** Charges the rate limits that `identify` has not charged. @throws {DomainError} `rate_limited` */
  charge(caller: Actor | null): Promise<void>;
  /** Reads the input. @throws {DomainError} if its syntax is wrong */
  read(): WireInput;
  /** Reads the Idempotency-Key; called only for POST operations. @throws {DomainError} if it is malformed */
  idempotency(): RequestIdempotency | undefined;
  /** Converts an outcome to the response that is stored for the Idempotency-Key. */
  readonly serialize: IdempotencyContext['serialize'];
  /** Returns a signal that is aborted when the client disconnects; called only for computations. */
  disconnected?(): AbortSignal | undefined;
  /** Calls the use-case. */
  invoke(call: PipelineCall): unknown;
}

/** A call that passed every check. */
interface PipelineCall {
  readonly actor: Actor | null;
  readonly idempotency: IdempotencyContext | undefined;
  readonly address: string;
  readonly query: unknown;
  readonly body: unknown;
  readonly params: unknown;
}

type CheckedInput = Pick<PipelineCall, 'query' | 'body' | 'params'>;

interface PipelineResult {
  readonly call: PipelineCall;
  readonly result: unknown;
}

/** The body schema of an operation without a body: accepts no body or an empty object. */
const NO_BODY = z.strictObject({}).optional();

export class OperationPipeline {
  private readonly query: z.ZodType;
  private readonly body: z.ZodType;
  private readonly withoutNulls: (body: unknown) => unknown;

  constructor(readonly operation: Operation) {
    this.query = querySchemaOf(operation);
    this.body = operation.bodyOptional === true ? operation.body!.optional() : (operation.body ?? NO_BODY);
    this.withoutNulls = compileNullRemoval(this.body);
  }

  /**
   * Runs the call.
   *
   * @throws {DomainError} if a check fails
   * @throws {ResponseReplayed} if the Idempotency-Key already has a stored response
   */
  async run(
    request: OperationRequest,
    commands: Pick<CommandRunner, 'run' | 'share'>,
  ): Promise<PipelineResult> {
    const caller = await this.admit(request);
    const key = this.operation.method === 'POST' ? this.keyOf(request) : undefined;
    const input = await this.parse(request, commands, caller, key);
    const idempotency = idempotencyContextOf(request, key, caller, input.body);
    const signal = this.operation.isComputation === true ? request.disconnected?.() : undefined;
    const actor: Actor | null =
      caller === null || (idempotency ?? signal) === undefined ? caller : { ...caller, idempotency, signal };
    const call: PipelineCall = { actor, idempotency, address: request.address, ...input };
    const invoke = () => request.invoke(call);
    const isShared = caller !== null && this.operation.isRemote !== true;
    return { call, result: await (isShared ? commands.share(caller.userId, invoke) : invoke()) };
  }

  /** Reads the Idempotency-Key. The key of a computation is validated, but has no effect. */
  private keyOf(request: OperationRequest): RequestIdempotency | undefined {
    const key = request.idempotency();
    return this.operation.isComputation === true ? undefined : key;
  }

  private async admit(request: OperationRequest): Promise<Actor | null> {
    const { access, sessionAccess } = this.operation;
    const caller = await request.identify();
    if (caller === null && access !== 'PUBLIC' && access !== 'CHALLENGE')
      throw new DomainError('authentication_required');
    await request.charge(caller);
    if (access === 'PUBLIC') return null;
    if (access !== 'CHALLENGE') authoriseOperation(caller!, { access, sessionAccess });
    else if (caller !== null) authorise(caller, 'ADMIN');
    return caller;
  }

  /**
   * Parses the input. The rejection of an input is stored under the Idempotency-Key only for an authenticated
   * caller. An anonymous caller is identified by the public key in a valid body, so a rejected body has no owner to
   * store it for.
   */
  private async parse(
    request: OperationRequest,
    commands: Pick<CommandRunner, 'run'>,
    caller: Actor | null,
    key: RequestIdempotency | undefined,
  ): Promise<CheckedInput> {
    try {
      return this.check(request.read());
    } catch (rejection) {
      const idempotency = caller === null ? undefined : idempotencyContextOf(request, key, caller, undefined);
      if (idempotency === undefined) throw rejection;
      return commands.run(idempotency, async () => {
        throw rejection;
      });
    }
  }

  private check(input: WireInput): CheckedInput {
    const query = parseOrThrow(this.query, input.query, 'invalid_query');
    if (input.body === undefined && this.operation.body !== undefined && !this.operation.bodyOptional)
      throw new DomainError('validation_failed', undefined, [
        { code: 'required', message: 'A JSON body is required.' },
      ]);
    const body = parseOrThrow(this.body, this.withoutNulls(input.body), 'validation_failed');
    return { query, body, params: this.checkParams(input.params) };
  }

  private checkParams(input: WireInput['params']): unknown {
    const { params } = this.operation;
    if (params === undefined) return input;
    const parsed = params.safeParse(input);
    // A malformed id identifies no record.
    if (!parsed.success) throw new DomainError('not_found');
    return parsed.data;
  }
}

function parseOrThrow(
  schema: z.ZodType,
  value: unknown,
  code: 'invalid_query' | 'validation_failed',
): unknown {
  const result = checkInput(schema, value, code === 'invalid_query' ? 'parameter' : 'field');
  if ('details' in result) throw new DomainError(code, undefined, result.details);
  return result.data;
}

function idempotencyContextOf(
  { serialize }: OperationRequest,
  key: RequestIdempotency | undefined,
  caller: Actor | null,
  body: unknown,
): IdempotencyContext | undefined {
  if (key === undefined) return undefined;
  const userId = caller?.userId ?? anonymousUserId(body);
  return { request: { userId, ...key }, serialize };
}

/**
 * What happens to a root field, in the published order of checks: limits of its own, permission, query, body, ids; then
 * the use-case.
 *
 * 1. The arguments become the operation's parameters under their wire names, and are judged by its schemas: what REST
 *    refuses is refused here, with the same code, and details that name the argument.
 * 2. With an Idempotency-Key each root field of a mutation is answered once: what is kept is the field's record, so that
 *    edges of it are read anew.
 */
import {
  compileWriter,
  DomainError,
  ERRORS,
  type ErrorCode,
  type Operation,
} from '@trading-automation/contracts';
import {
  type Actor,
  AnswerReplayed,
  authorise,
  type ListedPage,
  type ListQuery,
  type OnceRequest,
  querySchemaOf,
  userIdOfStranger,
} from '@trading-automation/core';

import { check } from '@trading-automation/runtime/http';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { snakeCase } from '../schema/names.js';
import { Connection } from './connections.js';
import type { RequestContext } from './context.js';
import { FieldNames } from './field-names.js';
import { compileInput, compileShape, type Shape } from './records.js';

export interface FieldCall {
  /** Calls the resolver's method. */
  readonly invoke: (call: unknown) => unknown;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  readonly info: Pick<GraphQLResolveInfo, 'path'>;
}

/** How a field differs from its operation. */
export interface FieldForm {
  readonly params?: Readonly<Record<string, string>>;
  readonly present?: (result: never) => unknown;
}

interface Parsed {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Arguments of every list that have other names than on REST. */
const LIST_ARGUMENTS: Readonly<Record<string, string>> = { first: 'limit', after: 'cursor' };
const NO_BODY = z.strictObject({}).optional();

export class OperationField {
  private readonly query: z.ZodType;
  private readonly body: z.ZodType;
  private readonly shape: Shape;
  private readonly wireBody: Shape;
  private readonly names: FieldNames;
  private readonly write: (value: unknown) => string;
  private readonly paramNames: ReadonlySet<string>;

  private readonly present: (result: unknown) => unknown;

  constructor(
    private readonly operation: Operation,
    private readonly options: FieldForm,
  ) {
    this.present = (options.present ?? ((result) => result)) as (result: unknown) => unknown;
    this.query = querySchemaOf(operation);
    this.body = operation.bodyOptional === true ? operation.body!.optional() : (operation.body ?? NO_BODY);
    this.shape = compileShape(operation.response);
    this.wireBody = compileInput(operation.body);
    this.names = new FieldNames(operation, options.params);
    this.write = compileWriter(operation.response, 'string');
    this.paramNames = new Set(Object.keys(operation.params?.shape ?? {}));
  }

  /** Never throws: a refusal is given back as an error, which becomes the field's. */
  async answer(call: FieldCall): Promise<unknown> {
    try {
      return await this.perform(call);
    } catch (error) {
      if (!(error instanceof AnswerReplayed)) return this.names.toldInFields(error);
      call.context.isReplayed = true;
      return this.replayed(error.answer);
    }
  }

  private async perform(call: FieldCall): Promise<unknown> {
    const { context, invoke } = call;
    const caller = await this.admit(context);
    const parsed = await this.parse(call, caller);
    const once = this.onceOf(call, caller, parsed.body);
    const actor = caller === null || once === undefined ? caller : { ...caller, once };
    const result = await invoke({ actor, once, ...parsed });
    if (this.operation.list !== undefined)
      return this.connection(result as ListedPage<unknown>, parsed.query as ListQuery, (query) =>
        invoke({ actor, once: undefined, ...parsed, query }),
      );
    return this.shape(this.present(result));
  }

  private async admit(context: RequestContext): Promise<Actor | null> {
    const { access, bucket } = this.operation;
    const { actor } = context;
    if (access !== 'PUBLIC' && access !== 'CHALLENGE' && actor === null)
      throw new DomainError('authentication_required');
    if (bucket !== undefined) {
      const limits = context.limitsOf(bucket);
      await (actor === null ? limits.takeByAddress() : limits.takeByCredential(actor.credential.id));
    }
    if (access === 'PUBLIC') return null;
    if (access !== 'CHALLENGE') authorise(actor!, access);
    return actor;
  }

  /** A refusal is kept for the key, as every answer is; a stranger's has nobody to be kept for. */
  private async parse(call: FieldCall, caller: Actor | null): Promise<Parsed> {
    try {
      return this.read(call.args);
    } catch (refusal) {
      const once = caller === null ? undefined : this.onceOf(call, caller, undefined);
      if (once !== undefined) await call.context.keepRefusal(once, refusal);
      throw refusal;
    }
  }

  private read(args: FieldCall['args']): Parsed {
    const params: Record<string, unknown> = {};
    const query: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      if (value === null || value === undefined || name === 'input') continue;
      const wireName = this.wireNameOf(name);
      if (this.paramNames.has(wireName)) params[wireName] = value;
      else Object.assign(query, this.queryMember(wireName, value));
    }
    return {
      query: this.checked(this.query, query, 'invalid_query'),
      body: this.checked(this.body, this.wireBody(args.input ?? undefined), 'validation_failed'),
      params: this.readParams(params),
    };
  }

  private wireNameOf(argument: string): string {
    const ofList = this.operation.list === undefined ? undefined : LIST_ARGUMENTS[argument];
    return this.options.params?.[argument] ?? ofList ?? snakeCase(argument);
  }

  /** The contract judges a query as REST has it, which is text; here arguments have types. */
  private queryMember(wireName: string, value: unknown): Record<string, unknown> {
    const [, included] = /^include_(\w+)$/.exec(wireName) ?? [];
    if (included !== undefined) return value === true ? { include: included } : {};
    if (wireName === 'sort') return { sort: snakeCase(String(value)) };
    return { [wireName]: typeof value === 'string' ? value : String(value) };
  }

  private checked(schema: z.ZodType, value: unknown, code: ErrorCode): unknown {
    const checked = check(schema, value, code === 'invalid_query' ? 'parameter' : 'field');
    if ('details' in checked) throw new DomainError(code, undefined, checked.details);
    return checked.data;
  }

  private readParams(given: Readonly<Record<string, unknown>>): unknown {
    const { params } = this.operation;
    if (params === undefined) return given;
    const parsed = params.safeParse(given);
    // What can't be an id is the id of nothing.
    if (!parsed.success) throw new DomainError('not_found');
    return parsed.data;
  }

  private connection(
    page: ListedPage<unknown>,
    query: ListQuery,
    list: (query: ListQuery) => unknown,
  ): Connection {
    return new Connection({
      page,
      query,
      nodes: page.items.map(this.shape),
      countAll: async () => {
        const counting = { ...query, limit: 1, cursor: undefined, include: [...query.include, 'total'] };
        const { pagination } = (await list(counting)) as ListedPage<unknown>;
        return pagination.total!;
      },
    });
  }

  /** How this field is answered once; undefined where the request carries no key, or the operation takes none. */
  private onceOf({ context, info }: FieldCall, caller: Actor | null, body: unknown): OnceRequest | undefined {
    const { idempotency } = context;
    if (idempotency === undefined || this.operation.method !== 'POST') return undefined;
    return {
      request: {
        userId: caller?.userId ?? userIdOfStranger(body),
        route: `graphql ${this.operation.id} ${info.path.key}`,
        key: idempotency.key,
        fingerprint: idempotency.fingerprint,
      },
      render: (outcome) =>
        'error' in outcome
          ? { status: ERRORS[outcome.error.code].status, body: keptRefusal(outcome.error) }
          : { status: 200, body: Buffer.from(this.write(this.present(outcome.value))) },
    };
  }

  private replayed({ status, body }: AnswerReplayed['answer']): unknown {
    const kept = JSON.parse(Buffer.from(body).toString());
    if (status < 400) return this.shape(kept);
    return this.names.toldInFields(new DomainError(kept.code, kept.message, kept.details));
  }
}

function keptRefusal(error: DomainError): Buffer {
  const { code, message, details } = error;
  return Buffer.from(JSON.stringify({ code, message, details }));
}

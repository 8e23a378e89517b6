/**
 * Resolves one root field: converts the arguments to the operation's wire input, runs the pipeline (`core/operations`),
 * and converts the result to a record or a connection.
 *
 * 1. Errors have the same codes as in REST. Their details name GraphQL arguments.
 * 2. With an Idempotency-Key, each root field of a mutation runs once. The stored response is the field's record; its
 *    related records are read again.
 */
import { DomainError, type Operation } from '@trading-automation/contracts';
import {
  type Actor,
  dataOfResult,
  type ListQuery,
  OperationPipeline,
  type PageWithCursors,
  type RequestIdempotency,
  ResponseReplayed,
  StoredOutcomes,
} from '@trading-automation/core';
import type { GraphQLResolveInfo } from 'graphql';
import { snakeCase } from '../schema/names.js';
import { Connection } from './connections.js';
import type { RequestContext } from './context.js';
import { FieldNameTranslator } from './field-name-translator.js';
import { type Converter, compileInputConverter, compileOutputConverter } from './value-converters.js';

export interface FieldCall {
  /** Calls the use case, or the resolver method that replaces it. */
  readonly invoke: (call: unknown) => unknown;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  readonly info: Pick<GraphQLResolveInfo, 'path'>;
}

/** Differences between a field and its operation. */
export interface OperationFieldOptions {
  /** Maps an argument to the path parameter that it sets, where the names differ. */
  readonly params?: Readonly<Record<string, string>>;
  readonly mapResult?: (result: never) => unknown;
}

/** The REST names of list arguments that have another name in GraphQL. */
const LIST_ARGUMENTS: Readonly<Record<string, string>> = { first: 'limit', after: 'cursor' };

export class OperationField {
  private readonly pipeline: OperationPipeline;
  private readonly convert: Converter;
  private readonly convertBody: Converter;
  private readonly names: FieldNameTranslator;
  private readonly storedOutcomes: StoredOutcomes;
  private readonly paramNames: ReadonlySet<string>;

  private readonly mapResult: (result: unknown) => unknown;

  constructor(
    private readonly operation: Operation,
    private readonly options: OperationFieldOptions,
  ) {
    this.mapResult = (options.mapResult ?? dataOfResult) as (result: unknown) => unknown;
    this.pipeline = new OperationPipeline(operation);
    this.convert = compileOutputConverter(operation.response);
    this.convertBody = compileInputConverter(operation.body);
    this.names = new FieldNameTranslator(operation, options.params);
    this.storedOutcomes = new StoredOutcomes(operation);
    this.paramNames = new Set(Object.keys(operation.params?.shape ?? {}));
  }

  /** Never throws: an error is returned and becomes the error of the field. */
  async resolve(call: FieldCall): Promise<unknown> {
    try {
      return await this.perform(call);
    } catch (error) {
      if (!(error instanceof ResponseReplayed)) return this.names.translateError(error);
      call.context.isReplayed = true;
      return this.replayResponse(error.response);
    }
  }

  private async perform(call: FieldCall): Promise<unknown> {
    const { context, invoke } = call;
    const { call: checkedCall, result } = await this.pipeline.run(
      {
        address: context.incoming.address,
        identify: async () => context.actor,
        charge: (caller) => this.charge(context, caller),
        read: () => this.readArguments(call.args),
        idempotency: () => this.idempotencyOf(call),
        serialize: (outcome) =>
          this.storedOutcomes.write('error' in outcome ? outcome : { data: this.mapResult(outcome.value) }),
        disconnected: () => context.disconnected?.(),
        invoke,
      },
      context.commands,
    );
    if (this.operation.list === undefined) return this.convert(this.mapResult(result));
    const query = checkedCall.query as ListQuery;
    return this.connection(result as PageWithCursors<unknown>, query, (other) =>
      invoke({ ...checkedCall, idempotency: undefined, query: other }),
    );
  }

  /** Takes a token of the operation's separate bucket, if it has one. The request took its own token on arrival. */
  private async charge(context: RequestContext, caller: Actor | null): Promise<void> {
    const { bucket } = this.operation;
    if (bucket === undefined) return;
    const limits = context.limitsOf(bucket);
    await (caller === null ? limits.takeTokensByAddress() : limits.takeTokensByCaller(caller));
  }

  private readArguments(args: FieldCall['args']) {
    const params: Record<string, unknown> = {};
    const query: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      if (value === null || value === undefined || name === 'input') continue;
      const wireName = this.wireNameOf(name);
      if (this.paramNames.has(wireName)) params[wireName] = value;
      else Object.assign(query, this.queryMember(wireName, value));
    }
    return { query, body: this.convertBody(args.input ?? undefined), params };
  }

  private wireNameOf(argument: string): string {
    const listName = this.operation.list === undefined ? undefined : LIST_ARGUMENTS[argument];
    return this.options.params?.[argument] ?? listName ?? snakeCase(argument);
  }

  /** Converts a typed argument to the string form that the contract validates. */
  private queryMember(wireName: string, value: unknown): Record<string, unknown> {
    const [, included] = /^include_(\w+)$/.exec(wireName) ?? [];
    if (included !== undefined) return value === true ? { include: included } : {};
    if (wireName === 'sort') return { sort: snakeCase(String(value)) };
    return { [wireName]: typeof value === 'string' ? value : String(value) };
  }

  private connection(
    page: PageWithCursors<unknown>,
    query: ListQuery,
    list: (query: ListQuery) => unknown,
  ): Connection {
    return new Connection({
      page,
      query,
      nodes: page.items.map(this.convert),
      countAll: async () => {
        const totalQuery = { ...query, limit: 1, cursor: undefined, include: [...query.include, 'total'] };
        const { pagination } = (await list(totalQuery)) as PageWithCursors<unknown>;
        return pagination.total!;
      },
    });
  }

  private idempotencyOf({ context, info }: FieldCall): RequestIdempotency | undefined {
    const { idempotency } = context;
    return idempotency && { route: `graphql ${this.operation.id} ${info.path.key}`, ...idempotency };
  }

  private replayResponse(response: ResponseReplayed['response']): unknown {
    const outcome = this.storedOutcomes.read(response);
    if (outcome === undefined) return this.replayFormerResponse(response);
    return 'error' in outcome ? this.names.translateError(outcome.error) : this.convert(outcome.data);
  }

  /** Replays a response that the previous release stored, as JSON with its decimals as strings. */
  private replayFormerResponse({ status, body }: ResponseReplayed['response']): unknown {
    const stored = JSON.parse(Buffer.from(body).toString());
    if (status < 400) return this.convert(stored);
    return this.names.translateError(new DomainError(stored.code, stored.message, stored.details));
  }
}

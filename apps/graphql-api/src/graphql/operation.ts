/**
 * `@Operation(op)`: this resolver method is the root field of that operation, and has the field's name.
 *
 *     @Operation(tradeOperations.create)
 *     createTrade(call: Call<typeof tradeOperations.create>) { return this.trades.create(call.actor, call.body); }
 *
 * 1. What reads is a query, what changes a mutation: as the operation's method says, unless the second argument does.
 * 2. Permission, limits, parsing and the form of the answer follow from the operation; the method names a use-case.
 * 3. A refusal is given back and not thrown: to Nest, what is thrown is a fault, and logged as one.
 */
import { Mutation, Query } from '@nestjs/graphql';
import type { DataOf, ListShape, Operation as OperationShape } from '@trading-automation/contracts';
import type { OperationCall, PageWithCursors } from '@trading-automation/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { RequestContext } from './context.js';
import { OperationField } from './operation-field.js';

export type Call<O extends OperationShape> = OperationCall<O>;

/** What an operation answers with: its data, or a page of it. */
export type ResultOf<O extends OperationShape> = O extends { readonly list: ListShape }
  ? PageWithCursors<DataOf<O>>
  : DataOf<O>;

export interface FieldOptions<R> {
  /** Where the operation's method says otherwise: a POST that only reads, a GET that changes something. */
  readonly as?: 'query' | 'mutation';
  /** Arguments that are parameters of the path under other names. */
  readonly params?: Readonly<Record<string, string>>;
  /** Makes the operation's data of what the use-case gives. */
  readonly mapResult?: (result: R) => unknown;
}

type OperationDecorator<O extends OperationShape, R> = <M extends (call: Call<O>) => R | Promise<R>>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** The operations that fields answer, by type and field. */
export const OPERATION_FIELDS = new Map<string, OperationShape>();

export function Operation<O extends OperationShape>(
  operation: O,
  options?: Omit<FieldOptions<never>, 'mapResult'>,
): OperationDecorator<O, ResultOf<O>>;
export function Operation<O extends OperationShape, R>(
  operation: O,
  options: Required<Pick<FieldOptions<R>, 'mapResult'>> & FieldOptions<R>,
): OperationDecorator<O, R>;
export function Operation(operation: OperationShape, options: FieldOptions<unknown> = {}) {
  const isQuery = (options.as ?? (operation.method === 'GET' ? 'query' : 'mutation')) === 'query';
  return (target: object, name: string, descriptor: PropertyDescriptor): void => {
    const field = new OperationField(operation, options);
    const method: (call: unknown) => unknown = descriptor.value;
    OPERATION_FIELDS.set(`${isQuery ? 'Query' : 'Mutation'}.${name}`, operation);
    descriptor.value = function (
      this: object,
      _root: unknown,
      args: Readonly<Record<string, unknown>>,
      context: RequestContext,
      info: GraphQLResolveInfo,
    ) {
      return field.resolve({ invoke: (call) => method.call(this, call), args, context, info });
    };
    (isQuery ? Query() : Mutation())(target, name, descriptor);
  };
}

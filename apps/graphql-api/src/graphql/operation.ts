/**
 * `@Operation(op)`: declares a resolver method as the root field of that operation; the method has the field's name.
 *
 *     @Operation(tradeOperations.create)
 *     createTrade(call: Call<typeof tradeOperations.create>) { return this.trades.create(call.actor, call.body); }
 *
 * 1. GET operations are queries, all others mutations, unless the second argument says otherwise.
 * 2. Permission, limits, parsing and rendering follow from the operation; the method only calls a use case.
 * 3. Expected errors are returned instead of thrown, because Nest logs thrown errors as internal errors.
 */
import { Mutation, Query } from '@nestjs/graphql';
import type { DataOf, ListShape, Operation as OperationShape } from '@trading-automation/contracts';
import type { OperationCall, PageWithCursors } from '@trading-automation/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { RequestContext } from './context.js';
import { OperationField } from './operation-field.js';

export type Call<O extends OperationShape> = OperationCall<O>;

/** Result of an operation: its data, or a page of it. */
export type ResultOf<O extends OperationShape> = O extends { readonly list: ListShape }
  ? PageWithCursors<DataOf<O>>
  : DataOf<O>;

export interface FieldOptions<R> {
  /** Overrides the type of the field: for a POST that only reads, or a GET that changes something. */
  readonly as?: 'query' | 'mutation';
  /** Path parameters by the argument that carries them under another name. */
  readonly params?: Readonly<Record<string, string>>;
  /** Converts the result of the use case to the operation's data. */
  readonly mapResult?: (result: R) => unknown;
}

type OperationDecorator<O extends OperationShape, R> = <M extends (call: Call<O>) => R | Promise<R>>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** Operations by the type and name of their field. */
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

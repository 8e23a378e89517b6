/**
 * `@Operation(op)` declares a resolver method as the root field of an operation. Without such a method, the operation's
 * use case resolves the field.
 *
 *     @Operation(tradeOperations.create)
 *     createTrade(call: Call<typeof tradeOperations.create>) { return this.trades.create(call.actor, call.body); }
 *
 * 1. The method must have the field's name (`schema/root-fields.ts`).
 * 2. Permission, limits, parsing and rendering follow from the operation; the method only calls a service.
 * 3. Expected errors are returned instead of thrown, because Nest logs thrown errors as internal errors.
 */
import { Mutation, Query } from '@nestjs/graphql';
import type { DataOf, ListDefinition, Operation as OperationShape } from '@trading-automation/contracts';
import type { OperationCall, PageWithCursors } from '@trading-automation/core';
import type { GraphQLResolveInfo } from 'graphql';
import { ROOT_FIELDS } from '../schema/root-fields.js';
import type { RequestContext } from './context.js';
import { OperationField } from './operation-field.js';

export type Call<O extends OperationShape> = OperationCall<O>;

/** Result of an operation: its data, or a page of items if it is a list. */
export type ResultOf<O extends OperationShape> = O extends { readonly list: ListDefinition }
  ? PageWithCursors<DataOf<O>>
  : DataOf<O>;

export interface FieldOptions<R> {
  /** Converts the result of the use case to the operation's data. */
  readonly mapResult: (result: R) => unknown;
}

type OperationDecorator<O extends OperationShape, R> = <M extends (call: Call<O>) => R | Promise<R>>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** The operation of each root field, keyed by `Type.field`. */
export const OPERATION_FIELDS: ReadonlyMap<string, OperationShape> = new Map(
  ROOT_FIELDS.map(({ type, name, operation }) => [`${type}.${name}`, operation]),
);

export type RootResolver = (
  root: unknown,
  args: Readonly<Record<string, unknown>>,
  context: RequestContext,
  info: GraphQLResolveInfo,
) => Promise<unknown>;

export function Operation<O extends OperationShape>(operation: O): OperationDecorator<O, ResultOf<O>>;
export function Operation<O extends OperationShape, R>(
  operation: O,
  options: FieldOptions<R>,
): OperationDecorator<O, R>;
export function Operation(operation: OperationShape, options?: FieldOptions<never>) {
  return (target: object, name: string, descriptor: PropertyDescriptor): void => {
    const field = ROOT_FIELDS.find((known) => known.operation.id === operation.id);
    if (field?.name !== name)
      throw new Error(
        `${operation.id} has the root field ${field?.name}; got the method ${name}. Rename the method.`,
      );
    const operationField = new OperationField(operation, { ...options, params: field.params });
    const method: (call: unknown) => unknown = descriptor.value;
    descriptor.value = function (this: object, ...[, args, context, info]: Parameters<RootResolver>) {
      return operationField.resolve({ invoke: (call) => method.call(this, call), args, context, info });
    };
    (field.type === 'Query' ? Query() : Mutation())(target, name, descriptor);
  };
}

/**
 * `@Operation(op)`: this controller method answers that operation of the contract.
 *
 *     @Operation(tradeOperations.create)
 *     create(call: Call<typeof tradeOperations.create>) { return this.trades.create(call.actor, call.body); }
 *
 * 1. Route, permission, parsing and the form of the answer follow from the operation; the method names a use-case.
 * 2. What the use-case gives is the operation's data. Where it is not, the second argument of the decorator makes
 *    it so: there and not in the method, because an answer that is kept for an Idempotency-Key is written in the
 *    transaction of its effect, from what the use-case gave.
 */
import 'reflect-metadata';
import type { DataOf, ListShape, Operation as OperationShape } from '@trading-automation/contracts';
import type { OperationCall, Page } from '@trading-automation/core';
import type { IncomingRequest } from '@trading-automation/core/access';
import type { EventStream } from './event-stream.js';

/** One request to an operation, as it came in beside what it asks. */
export interface Call<O extends OperationShape> extends OperationCall<O> {
  readonly incoming: IncomingRequest;
}

/** What an operation answers with: its data, a page of it, or a stream. */
export type ResultOf<O extends OperationShape> = O extends { readonly list: ListShape }
  ? Page<DataOf<O>>
  : O extends { readonly stream: true }
    ? EventStream
    : DataOf<O>;

/** Data with what the operation leaves open. */
export class OperationResponse<T> {
  constructor(
    readonly data: T,
    readonly options: { readonly status?: 200 | 201 | 202; readonly location?: string },
  ) {}
}

/** `location` is a path under `/v1`; a call by a legacy alias is told it under the alias. */
export function respond<T>(data: T, options: OperationResponse<T>['options']): OperationResponse<T> {
  return new OperationResponse(data, options);
}

/** Makes the answer of what a use-case gave. */
export type ResultMapper = (result: unknown) => unknown;

export interface OperationMethod {
  readonly operation: OperationShape;
  readonly mapResult: ResultMapper;
}

type Handler<O extends OperationShape, R> = (call: Call<O>) => R | Promise<R>;
type OperationDecorator<O extends OperationShape, R> = <M extends Handler<O, R>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

const OPERATION = Symbol('operation');

export function Operation<O extends OperationShape>(operation: O): OperationDecorator<O, ResultOf<O>>;
export function Operation<O extends OperationShape, R>(
  operation: O,
  present: (result: R) => ResultOf<O> | OperationResponse<ResultOf<O>>,
): OperationDecorator<O, R>;
export function Operation(operation: OperationShape, present: ResultMapper = (result) => result) {
  return (_target: object, _name: string | symbol, descriptor: PropertyDescriptor): void => {
    const method: OperationMethod = { operation, mapResult: present };
    Reflect.defineMetadata(OPERATION, method, descriptor.value);
  };
}

/** What a controller's method was declared to answer. */
export function operationMethodOf(method: object): OperationMethod | undefined {
  return Reflect.getMetadata(OPERATION, method);
}

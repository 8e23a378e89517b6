/**
 * `@Operation(op)` declares that a controller method handles an operation of the contract.
 *
 *     @Operation(tradeOperations.create)
 *     create(call: Call<typeof tradeOperations.create>) { return this.trades.create(call.actor, call.body); }
 *
 * 1. The operation determines the route, permission, parsing and rendering. The method only calls a use case.
 * 2. If the use case does not return the data of the operation, the second argument of the decorator converts the
 *    result. The method must not convert it: the response for an Idempotency-Key is rendered from the result of the
 *    use case and stored in its transaction.
 */
import 'reflect-metadata';
import type { DataOf, ListDefinition, Operation as OperationShape } from '@trading-automation/contracts';
import { CreatedRecord, type OperationCall, type Page, type UseCase } from '@trading-automation/core';
import type { IncomingRequest } from '@trading-automation/core/access';
import type { EventStream } from './event-stream.js';

/** One call of an operation, with the raw request. */
export interface Call<O extends OperationShape> extends OperationCall<O> {
  readonly incoming: IncomingRequest;
}

/** Result of an operation: its data, a page of items, or a stream. */
export type ResultOf<O extends OperationShape> = O extends { readonly list: ListDefinition }
  ? Page<DataOf<O>>
  : O extends { readonly stream: true }
    ? EventStream
    : DataOf<O>;

/** The data of an operation, with a status or a location that differs from the default. See `respond`. */
export class OperationResponse<T> {
  constructor(
    readonly data: T,
    readonly options: { readonly status?: 200 | 201 | 202; readonly location?: string },
  ) {}
}

/**
 * Returns the data of an operation with a status or a location.
 *
 * @param options `location` is a path under `/v1`. The response to a legacy alias omits the prefix
 */
export function respond<T>(data: T, options: OperationResponse<T>['options']): OperationResponse<T> {
  return new OperationResponse(data, options);
}

function createdResponse(result: unknown): unknown {
  return result instanceof CreatedRecord
    ? respond(result.record, { status: 201, location: result.location })
    : result;
}

/** Converts the result of a use case to the operation's data. */
type ResultMapper = (result: unknown) => unknown;

interface OperationMethod {
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
  mapResult: (result: R) => ResultOf<O> | OperationResponse<ResultOf<O>>,
): OperationDecorator<O, R>;
export function Operation(operation: OperationShape, mapResult: ResultMapper = (result) => result) {
  return (_target: object, _name: string | symbol, descriptor: PropertyDescriptor): void => {
    const method: OperationMethod = { operation, mapResult };
    Reflect.defineMetadata(OPERATION, method, descriptor.value);
  };
}

/** An operation with its handler: its use case, or the controller method that replaces the use case. */
export class BoundOperation {
  private constructor(
    private readonly method: OperationMethod,
    private readonly handle: (call: unknown) => unknown,
  ) {}

  /** Binds a method of a controller. Returns undefined if the method is not decorated with `@Operation`. */
  static of(controller: object, name: string): BoundOperation | undefined {
    const handle: (call: unknown) => unknown = Reflect.get(controller, name);
    const method: OperationMethod | undefined = Reflect.getMetadata(OPERATION, handle);
    return method === undefined ? undefined : new BoundOperation(method, handle.bind(controller));
  }

  /** Binds a use case to the service that implements it. */
  static ofUseCase({ operation, invoke }: UseCase, service: object): BoundOperation {
    return new BoundOperation({ operation, mapResult: createdResponse }, (call) => invoke(service, call));
  }

  get operation(): OperationShape {
    return this.method.operation;
  }

  /** Calls the use case or the controller's method. */
  invoke(call: unknown): unknown {
    return this.handle(call);
  }

  /** Converts the result of `invoke` to the operation's data. */
  dataOf(result: unknown): unknown {
    return this.method.mapResult(result);
  }
}

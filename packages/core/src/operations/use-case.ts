/**
 * Connects operations to the methods of services, for every transport.
 *
 * By convention, a method is named like the operation's key in the contract: `TradesService.create` runs
 * `tradeOperations.create`. Its arguments are the caller (unless the operation is public), each path parameter, the
 * query and the body, in this order, as far as the operation has them. The compiler checks the convention where
 * `api/use-cases.ts` lists a feature.
 */
import type { DataOf, ListDefinition, Operation } from '@trading-automation/contracts';
import type { z } from 'zod';
import type { PageWithCursors } from './list-reader.js';
import type { OperationCall } from './operation-call.js';

/** Names of the path parameters in order. */
type NamesIn<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? [Name, ...NamesIn<`/${Tail}`>]
    : [Rest]
  : [];
type ValuesOf<Names, Values> = {
  [At in keyof Names]: Names[At] extends keyof Values ? Values[Names[At]] : never;
};

type CallerArgument<O extends Operation> = O['access'] extends 'PUBLIC' ? [] : [OperationCall<O>['actor']];
type PathArguments<O extends Operation> = ValuesOf<NamesIn<O['path']>, OperationCall<O>['params']>;
type QueryArgument<O extends Operation> = O extends
  | { readonly list: ListDefinition }
  | { readonly query: z.ZodType }
  ? [OperationCall<O>['query']]
  : [];
type BodyArgument<O extends Operation> = O extends { readonly body: z.ZodType }
  ? [OperationCall<O>['body']]
  : [];
type Arguments<O extends Operation> = [
  ...CallerArgument<O>,
  ...PathArguments<O>,
  ...QueryArgument<O>,
  ...BodyArgument<O>,
];

/** The record that an operation created, where the same operation can also change an existing record. */
export class CreatedRecord<T> {
  constructor(
    readonly record: T,
    /** The path of the record under `/v1`. */
    readonly location: string,
  ) {}
}

/** Returns the data of a use-case's result, for transports that do not report whether a record was created. */
export function dataOfResult(result: unknown): unknown {
  return result instanceof CreatedRecord ? result.record : result;
}

/** Result of an operation: its data, or a page of it. */
type ResultOf<O extends Operation> = O extends { readonly list: ListDefinition }
  ? PageWithCursors<DataOf<O>>
  : O extends { readonly createdStatus: 201 }
    ? DataOf<O> | CreatedRecord<DataOf<O>>
    : DataOf<O>;

type MethodsOf<Operations extends Readonly<Record<string, Operation>>> = {
  readonly [Name in keyof Operations]: (
    ...args: Arguments<Operations[Name]>
  ) => ResultOf<Operations[Name]> | Promise<ResultOf<Operations[Name]>>;
};

type ServiceClass<S> = abstract new (...args: never[]) => S;

/** An operation and the service method that it runs. The NestJS container provides the service by its class. */
export interface UseCase {
  readonly operation: Operation;
  readonly service: ServiceClass<object>;
  readonly invoke: (service: object, call: unknown) => unknown;
}

type AnyCall = Pick<OperationCall<Operation>, 'actor' | 'query' | 'body'> & {
  readonly params: Readonly<Record<string, unknown>>;
};

/**
 * Returns the use-cases of operations whose methods follow the convention.
 *
 * @param operations operations by the name of the service's method
 */
export function useCasesOf<const Operations extends Readonly<Record<string, Operation>>>(
  operations: Operations,
  service: ServiceClass<MethodsOf<Operations>>,
): readonly UseCase[] {
  return Object.entries(operations).map(([name, operation]) => {
    const argumentsOf = compileArguments(operation);
    return {
      operation,
      service,
      invoke: (instance, call) => {
        const methods = instance as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
        return methods[name]!(...argumentsOf(call as AnyCall));
      },
    };
  });
}

/** Returns the use-case of an operation whose method has other arguments. */
export function useCaseOf<O extends Operation, S extends object>(
  operation: O,
  service: ServiceClass<S>,
  run: (service: S, call: OperationCall<O>) => ResultOf<O> | Promise<ResultOf<O>>,
): UseCase {
  return {
    operation,
    service,
    invoke: (instance, call) => run(instance as S, call as OperationCall<O>),
  };
}

function compileArguments({ access, path, list, query, body }: Operation): (call: AnyCall) => unknown[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return (call) => [
    ...(access === 'PUBLIC' ? [] : [call.actor]),
    ...names.map((name) => call.params[name]),
    ...(list === undefined && query === undefined ? [] : [call.query]),
    ...(body === undefined ? [] : [call.body]),
  ];
}

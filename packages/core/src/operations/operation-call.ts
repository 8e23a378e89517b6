import type { BodyOf, ListDefinition, Operation, QueryOf } from '@trading-automation/contracts';
import type { z } from 'zod';
import type { Actor } from './actor.js';
import type { IdempotencyContext } from './command-runner.js';
import type { ListQuery } from './list-reader.js';

type CallerOf<O extends Operation> = O['access'] extends 'PUBLIC'
  ? null
  : O['access'] extends 'CHALLENGE'
    ? Actor | null
    : Actor;

/** A call of an operation over any transport, after authentication, authorisation and parsing. */
export interface OperationCall<O extends Operation> {
  /** The caller; null if the operation allows anonymous calls and the request has no credentials. */
  readonly actor: CallerOf<O>;
  /** Set if the request has an Idempotency-Key. `actor.idempotency` is then the same object. */
  readonly idempotency: IdempotencyContext | undefined;
  /** The IP address of the client. */
  readonly address: string;
  readonly params: O['params'] extends z.ZodType ? z.output<O['params']> : Record<never, never>;
  readonly query: O extends { readonly list: ListDefinition } ? ListQuery & QueryOf<O> : QueryOf<O>;
  readonly body: O extends { readonly bodyOptional: true } ? BodyOf<O> | undefined : BodyOf<O>;
}

/** REST and GraphQL on one database, asked the same by the same people: who signs a request is the same to both. */
import type { Operation } from '@trading-automation/contracts';
import { targetOf } from '../../rest-api/test/proofs/contract.js';
import { Market } from '../../rest-api/test/proofs/market.js';
import type { Person } from '../../rest-api/test/proofs/person.js';
import type { GoodRequest } from '../../rest-api/test/proofs/requests.js';
import { sendSigned } from '../../rest-api/test/real-api.js';
import type { Received } from '../../rest-api/test/send.js';
import { callOf, rootFieldOf } from './operation-calls.js';
import {
  type Answered,
  ask,
  type GraphqlError,
  type RealGraphqlApi,
  startRealGraphqlApi,
} from './real-graphql-api.js';

/** An answer of either API: what REST's `data` and the field are, or the refusal. */
interface Outcome {
  readonly data: unknown;
  readonly error: Refusal | undefined;
}

export interface Refusal {
  readonly code: string;
  readonly details: readonly Record<string, unknown>[] | undefined;
}

export class TwoApis {
  private constructor(
    readonly market: Market,
    readonly graphql: RealGraphqlApi,
  ) {}

  static async open(): Promise<TwoApis> {
    const market = await Market.open();
    return new TwoApis(market, await startRealGraphqlApi(market.api.databaseUrl));
  }

  async close(): Promise<void> {
    await this.graphql.close();
    await this.market.close();
  }

  /** With every decimal as a string, as GraphQL has them. */
  onRest(person: Person, operation: Operation, request: GoodRequest): Promise<Received> {
    return sendSigned(this.market.api, person.holder, operation.method, targetOf(operation, request), {
      headers: { accept: 'application/json; decimals=string' },
      ...('body' in request ? { body: request.body as object } : {}),
    });
  }

  onGraphql(
    person: Person,
    operation: Operation,
    request: GoodRequest,
    selection?: string,
  ): Promise<Answered> {
    return ask(this.graphql, person.holder, callOf(operation, request, selection));
  }
}

export function restOutcome({ json: { data, error } }: Received): Outcome {
  return {
    data,
    error:
      error === undefined ? undefined : { code: error.code, details: error.details as Refusal['details'] },
  };
}

export function graphqlOutcome(operation: Operation, { data, errors, text }: Answered): Outcome {
  if (errors === undefined) return { data: data[rootFieldOf(operation).name], error: undefined };
  if (errors.length !== 1) throw new Error(`more errors than one: ${text}`);
  return { data: undefined, error: refusalOf(errors[0]!) };
}

export function refusalOf({ extensions: { code, details } }: GraphqlError): Refusal {
  return { code, details: details as Refusal['details'] };
}

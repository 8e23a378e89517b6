/** Runs REST and GraphQL on one database, to compare their responses to the same user. */
import type { Operation } from '@trading-automation/contracts';
import { targetOf } from '../../rest-api/test/proofs/contract.js';
import type { GoodRequest } from '../../rest-api/test/proofs/requests.js';
import { TestEnvironment } from '../../rest-api/test/proofs/test-environment.js';
import type { TestUser } from '../../rest-api/test/proofs/test-user.js';
import type { TestResponse } from '../../rest-api/test/send.js';
import { sendSigned } from '../../rest-api/test/test-rest-api.js';
import { graphqlRequestOf, rootFieldOf } from './operation-requests.js';
import {
  type GraphqlError,
  type GraphqlResponse,
  sendGraphql,
  startTestGraphqlApi,
  type TestGraphqlApi,
} from './test-graphql-api.js';

/** A response of either API: the data (in GraphQL, of the field) or the error. */
interface Outcome {
  readonly data: unknown;
  readonly error: ErrorResult | undefined;
}

export interface ErrorResult {
  readonly code: string;
  readonly details: readonly Record<string, unknown>[] | undefined;
}

export class ApiPair {
  private constructor(
    readonly environment: TestEnvironment,
    readonly graphql: TestGraphqlApi,
  ) {}

  static async open(): Promise<ApiPair> {
    const environment = await TestEnvironment.open();
    return new ApiPair(environment, await startTestGraphqlApi(environment.api.databaseUrl));
  }

  async close(): Promise<void> {
    await this.graphql.close();
    await this.environment.close();
  }

  /** Calls REST. Every decimal in the response is a string, as in GraphQL. */
  callRest(person: TestUser, operation: Operation, request: GoodRequest): Promise<TestResponse> {
    return sendSigned(this.environment.api, person.keyPair, operation.method, targetOf(operation, request), {
      headers: { accept: 'application/json; decimals=string' },
      ...('body' in request ? { body: request.body as object } : {}),
    });
  }

  callGraphql(
    person: TestUser,
    operation: Operation,
    request: GoodRequest,
    selection?: string,
  ): Promise<GraphqlResponse> {
    return sendGraphql(this.graphql, person.keyPair, graphqlRequestOf(operation, request, selection));
  }
}

export function restOutcome({ json: { data, error } }: TestResponse): Outcome {
  return {
    data,
    error:
      error === undefined
        ? undefined
        : { code: error.code, details: error.details as ErrorResult['details'] },
  };
}

export function graphqlOutcome(operation: Operation, { data, errors, text }: GraphqlResponse): Outcome {
  if (errors === undefined) return { data: data[rootFieldOf(operation).name], error: undefined };
  if (errors.length !== 1) throw new Error(`expected one error; got ${text}`);
  return { data: undefined, error: toErrorResult(errors[0]!) };
}

export function toErrorResult({ extensions: { code, details } }: GraphqlError): ErrorResult {
  return { code, details: details as ErrorResult['details'] };
}

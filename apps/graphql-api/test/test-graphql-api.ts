/** Runs the GraphQL API as deployed, in this process, on the database of a REST API. */
import { createHash } from 'node:crypto';
import type { Platform } from '@trading-automation/core';
import { generateSealingKeyPair } from '@trading-automation/core/sealing';
import { createLogger, readConfig } from '@trading-automation/runtime';
import { signRequest } from '@trading-automation/signed-request';
import { AMPLE_RATE_LIMITS } from '../../rest-api/test/rate-limits.js';
import { JSON_TYPE, send, type TestResponse } from '../../rest-api/test/send.js';
import type { KeyPair } from '../../rest-api/test/test-rest-api.js';
import { configSchema } from '../src/config.js';
import { startGraphqlApi } from '../src/graphql-api.js';
import type { SocketEndpointTiming } from '../src/server/endpoint-options.js';

export interface TestGraphqlApi {
  readonly port: number;
  readonly url: string;
  readonly log: string[];
  /** The platform of the API. Its connection pool executes all statements of the API. */
  readonly platform: Platform;
  close(): Promise<void>;
}

export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly details?: readonly {
      readonly field?: string;
      readonly code: string;
      readonly message: string;
    }[];
    readonly request_id: string;
    readonly retry_after?: number;
  };
}

/** A GraphQL response; the caller specifies the type of its data. */
export interface GraphqlResponse {
  readonly status: number;
  readonly headers: TestResponse['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: its shape is that of the query
  readonly data: any;
  readonly errors: readonly GraphqlError[] | undefined;
  readonly text: string;
}

export interface GraphqlRequest {
  readonly query?: string | undefined;
  readonly variables?: object;
  readonly operationName?: string;
  readonly extensions?: object;
}

/** Generous timeouts, so that no test depends on the load of the machine. */
const GENEROUS_TIMING = { initWaitMs: 60_000, pingMs: 600_000 };

export async function startTestGraphqlApi(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  timing?: SocketEndpointTiming,
): Promise<TestGraphqlApi> {
  const sealingKey = async () => {
    const { id, publicKey } = await generateSealingKeyPair();
    return `${id}.${publicKey}`;
  };
  const config = readConfig(configSchema, {
    WORLD: 'test',
    DATABASE_URL: databaseUrl,
    REDIS_URL: process.env.TEST_REDIS_URL,
    SERVER_KEYS: createHash('sha256').update('server key').digest('base64url'),
    EXCHANGE_SEALING_KEY: await sealingKey(),
    WEBHOOK_SEALING_KEY: await sealingKey(),
    OPEN_REGISTRATION: 'true',
    RATE_LIMITS: JSON.stringify(AMPLE_RATE_LIMITS),
    ...environment,
  });
  const log: string[] = [];
  const logger = createLogger('graphql-api', 'debug', { write: (line) => void log.push(line) });
  const { url, platform, stop } = await startGraphqlApi(config, '1.2.3', logger, {
    ...GENEROUS_TIMING,
    ...timing,
  });
  return { port: Number(new URL(url).port), url, log, platform, close: stop };
}

/** Sends a request unchanged, without credentials unless the headers contain them. */
export async function post(
  api: { readonly port: number },
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphqlResponse> {
  return toGraphqlResponse(
    await send(api, 'POST', '/graphql', { body, headers: { ...JSON_TYPE, ...headers } }),
  );
}

/** Sends a signed operation; a string is a query without variables. */
export function sendGraphql(
  api: { readonly port: number },
  { privateKey }: KeyPair,
  request: GraphqlRequest | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphqlResponse> {
  const body = JSON.stringify(typeof request === 'string' ? { query: request } : request);
  const signature = signRequest({ method: 'POST', path: '/graphql', privateKey, body });
  return post(api, body, { ...signature, ...headers });
}

function toGraphqlResponse({ status, headers, text, json }: TestResponse): GraphqlResponse {
  const { data, errors } = json as { data?: unknown; errors?: readonly GraphqlError[] };
  return { status, headers, data, errors, text };
}

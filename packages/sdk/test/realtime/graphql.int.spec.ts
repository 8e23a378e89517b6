/** Tests `client.graphql`: it sends one operation in one POST, with the signature, retries and errors of REST. */
import { parse } from 'graphql';
import {
  AuthenticationError,
  Client,
  InternalServerError,
  NotFoundError,
  RateLimitError,
  UnprocessableError,
} from '../../src/index.js';
import { graphqlError, StubRealtimeServer, send } from './stub-realtime-server.js';

let server: StubRealtimeServer;
beforeEach(async () => {
  server = await StubRealtimeServer.open();
});
afterEach(() => server.close());

const GREETING = 'query ($n: Int) { greeting(number: $n) }';
const errorOf = (promise: PromiseLike<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

it('accepts a document as a string or as the output of a code generator', async () => {
  const client = server.client();
  const forms = [
    GREETING,
    Object.assign(new String(GREETING), {}),
    parse(GREETING),
    parse(GREETING, { noLocation: true }),
  ];
  for (const form of forms)
    expect(await client.graphql<{ greeting: string }, { n: number }>(form as string, { n: 7 })).toEqual({
      greeting: 'hello 7',
    });
  expect(await client.graphql('{ me { id } }')).toEqual({ me: { id: 'usr_1' } });
});

it('infers the types of data and variables from a typed document', async () => {
  /** A document type as code generators and gql tags declare it. */
  interface TypedDocumentLike<Data, Variables> {
    readonly kind: string;
    readonly __apiType?: (variables: Variables) => Data;
  }
  const typed = parse(GREETING) as unknown as TypedDocumentLike<{ greeting: string }, { n: number }>;
  const client = server.client();
  const { greeting } = await client.graphql(typed, { n: 7 });
  expect(greeting.toUpperCase()).toBe('HELLO 7');
  // @ts-expect-error a variable has another type
  expect(await errorOf(client.graphql(typed, { n: 'seven' }))).toBeInstanceOf(Error);
  // @ts-expect-error a variable is required
  expect(await client.graphql(typed)).toEqual({ greeting: 'hello undefined' });
});

it('sends a signed request to the origin of the GraphQL API', async () => {
  const graphqlURL = `http://127.0.0.1:${server.port}`;
  const client = server.client({ baseURL: 'http://127.0.0.1:1', graphqlURL });
  const { data, requestId, response } = await client.graphql('{ me { id } }').withResponse();
  expect([data, requestId, response.status]).toEqual([{ me: { id: 'usr_1' } }, undefined, 200]);
});

it('throws the error class that REST throws, with the partial data', async () => {
  const error = await errorOf(server.client().graphql('{ me { id } broken }'));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({
    status: 404,
    code: 'not_found',
    message: 'failed with not_found',
    requestId: 'request of not_found',
    docUrl: `http://127.0.0.1:${server.port}/docs#description/errors`,
    graphql: { path: ['broken'], data: { me: { id: 'usr_1' }, broken: null } },
  });
});

it('throws an error whose message names the invalid field', async () => {
  const details = [{ field: 'amount', code: 'too_small', message: 'Expected more.' }];
  server.scriptedResponses.push((response) =>
    send(response, 200, { errors: [graphqlError('validation_failed', { details }).toJSON()] }),
  );
  const error = await errorOf(server.client().graphql('mutation { order(amount: 0) }'));
  expect(error).toBeInstanceOf(UnprocessableError);
  expect(error).toMatchObject({ details, graphql: { path: [], data: undefined } });
  expect(String(error)).toContain('amount: Expected more.');
});

it('retries with the same Idempotency-Key, as REST does, so that a mutation takes effect once', async () => {
  server.scriptedResponses.push(
    (response) => response.destroy(),
    (response) => send(response, 503, { errors: [graphqlError('service_unavailable').toJSON()] }),
    (response) =>
      send(response, 200, {
        data: { order: null },
        errors: [graphqlError('idempotency_in_progress').toJSON()],
      }),
  );
  const client = server.client({ maxRetries: 3 });
  expect(await client.graphql('mutation { order(amount: 1) }')).toEqual({ order: 'order 1, amount 1' });
  expect(server.idempotencyKeys).toHaveLength(4);
  expect(new Set(server.idempotencyKeys).size).toBe(1);
  await client.graphql('mutation { order(amount: 1) }', {}, { idempotencyKey: 'mine' });
  expect(server.idempotencyKeys[4]).toBe('mine');
});

it('throws at once, without a retry, if the error requests a delay of more than a minute', async () => {
  server.scriptedResponses.push((response) =>
    send(response, 200, { errors: [graphqlError('rate_limited', { retry_after: 3_600 }).toJSON()] }),
  );
  const error = await errorOf(server.client().graphql('{ me { id } }'));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ retryAfterMs: 3_600_000 });
});

it('does not retry permanent errors', async () => {
  server.scriptedResponses.push(
    (response) => send(response, 200, { errors: [graphqlError('not_found').toJSON()] }),
    (response) => send(response, 200, { errors: [graphqlError('a_code_of_tomorrow').toJSON()] }),
  );
  const client = server.client();
  expect(await errorOf(client.graphql('{ me { id } }'))).toMatchObject({ code: 'not_found' });
  expect(await errorOf(client.graphql('{ me { id } }'))).toMatchObject({ code: 'a_code_of_tomorrow' });
  expect(server.idempotencyKeys).toHaveLength(2);
});

it('throws the error of the last attempt after all retries', async () => {
  const fail = (response: Parameters<(typeof server.scriptedResponses)[number]>[0]) =>
    send(response, 200, { errors: [graphqlError('internal_error').toJSON()] });
  server.scriptedResponses.push(fail, fail);
  const error = await errorOf(server.client().graphql('{ me { id } }', {}, { maxRetries: 1 }));
  expect(error).toBeInstanceOf(InternalServerError);
});

it('signs with the server’s time once an error has reported it', async () => {
  server.skewMs = 300_000;
  expect(await server.client().graphql('{ me { id } }')).toEqual({ me: { id: 'usr_1' } });
  expect(server.idempotencyKeys).toHaveLength(2);
});

it('throws the server’s error for a client without a signer', async () => {
  server.scriptedResponses.push((response) =>
    send(response, 401, { errors: [graphqlError('invalid_api_key', { request_id: 'req_of_key' }).toJSON()] }),
  );
  const apiKey = `svc_test_${'a'.repeat(43)}`;
  const client = new Client({ baseURL: `http://127.0.0.1:${server.port}`, apiKey, logLevel: 'off' });
  const error = await errorOf(client.graphql('{ me { id } }'));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(error).toMatchObject({ code: 'invalid_api_key', requestId: 'req_of_key' });
});

it('rejects a response that is not a GraphQL result', async () => {
  server.scriptedResponses.push((response) => send(response, 200, { hello: 'world' }));
  const client = server.client({ graphqlURL: `http://127.0.0.1:${server.port}` });
  expect(String(await errorOf(client.graphql('{ me { id } }')))).toContain('where no GraphQL API responds');
});

it('throws the reason of an abort, and rejects an invalid document without sending a request', async () => {
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  expect(await errorOf(server.client().graphql('{ me { id } }', {}, { signal }))).toBe(reason);
  for (const invalid of [undefined, null, 7, {}])
    expect(await errorOf(server.client().graphql(invalid as never))).toBeInstanceOf(TypeError);
  expect(server.idempotencyKeys).toEqual([]);
});

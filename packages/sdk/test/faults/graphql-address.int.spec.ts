/** Tests that a GraphQL call to a server without a GraphQL API names the option and the fix. */
import { readFileSync } from 'node:fs';
import { Client, ConnectionError, GraphqlAddressError, NotFoundError } from '../../src/index.js';
import { API_KEY, errorOutcome, FaultyApi, respondsWith } from './faulty-api.js';

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

const failureOf = async (options: { graphqlURL?: string } = {}): Promise<Error> => {
  const client = new Client({
    baseURL: api.origin,
    apiKey: API_KEY,
    logLevel: 'off',
    maxRetries: 0,
    ...options,
  });
  return client.graphql('{ me { id } }').then(
    () => new Error('the call succeeded'),
    (error) => error,
  );
};

const NO_GRAPHQL = [
  ['the REST API', errorOutcome(404, 'route_not_found')],
  ['a web server', { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not found</h1>' }],
  ['a web server without POST', { status: 405, body: '' }],
  ['a JSON service', { status: 200, body: '{"status":"ok"}' }],
] as const;

describe('a GraphQL call', () => {
  it.each(NO_GRAPHQL)('without an address, answered by %s, names the option', async (_server, outcome) => {
    api.faults.push(respondsWith(outcome));
    const error = await failureOf();
    expect(error).toBeInstanceOf(GraphqlAddressError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      `graphqlURL is not set, and no GraphQL API responds at the baseURL ${api.origin}. Set the option graphqlURL, or the environment variable SVC_GRAPHQL_URL, to the origin of the GraphQL API, such as http://127.0.0.1:4001.`,
    );
    expect(api.requests).toHaveLength(1);
  });

  it('with a wrong address names the address', async () => {
    api.faults.push(respondsWith(errorOutcome(404, 'route_not_found')));
    const error = await failureOf({ graphqlURL: api.origin });
    expect(error).toMatchObject({
      name: 'GraphqlAddressError',
      origin: api.origin,
      summary: `graphqlURL is ${api.origin}, where no GraphQL API responds.`,
    });
  });

  it('keeps an error of the GraphQL API and of a proxy', async () => {
    const body = {
      data: null,
      errors: [{ message: 'No.', path: ['me'], extensions: { code: 'not_found' } }],
    };
    api.faults.push(
      respondsWith({ status: 200, body: JSON.stringify(body) }),
      respondsWith({ status: 502, body: '' }),
    );
    expect(await failureOf()).toBeInstanceOf(NotFoundError);
    expect(await failureOf()).toMatchObject({ status: 502, code: 'unknown' });
  });
});

it('the README says how to get exact decimals, and the compiler checks its program', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const programs = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  expect(
    programs.filter((code) => /decimals: 'string'[\s\S]*: string = trade\.cost/.test(code!)),
  ).toHaveLength(1);
});

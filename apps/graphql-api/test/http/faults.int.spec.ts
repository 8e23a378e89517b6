/** Tests that internal errors never disclose stacks, SQL or secrets, and that decimals keep every digit. */
import { createHash } from 'node:crypto';
import { signRequest } from '@trading-automation/signed-request';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { TestUser } from '../../../rest-api/test/proofs/test-user.js';
import {
  type GraphqlResponse,
  post,
  sendGraphql,
  startTestGraphqlApi,
  type TestGraphqlApi,
} from '../test-graphql-api.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let owner: TestUser;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  owner = await TestUser.create(environment);
});
afterAll(async () => {
  await api?.close();
  await environment?.close();
});

const codesOf = ({ errors }: GraphqlResponse) => errors?.map(({ extensions }) => extensions.code);
const secret = createHash('sha256').update('a secret of the test').digest('hex');

it('an internal error discloses no details and is logged with the request id', async () => {
  await environment.rows('ALTER TABLE webhooks RENAME TO webhooks_gone');
  try {
    const response = await sendGraphql(
      api,
      owner.keyPair,
      '{ webhooks { nodes { id } } health { status } }',
      {
        'x-request-id': 'internal-error-test',
      },
    );
    expect([response.status, codesOf(response)]).toEqual([200, ['internal_error']]);
    expect(response.data).toEqual({ webhooks: null, health: { status: 'ok' } });
    expect(response.text).not.toMatch(/select|relation|webhooks_gone|node_modules|\bat \S+:\d+/i);
    const logged = api.log.filter((line) => line.includes('internal-error-test'));
    expect(logged).toHaveLength(1);
    // The SQLSTATE of a missing table. The message of Postgres can contain values, so it is not logged.
    expect(logged[0]).toContain('"code":"42P01"');
    expect(logged[0]).not.toContain('does not exist');
  } finally {
    await environment.rows('ALTER TABLE webhooks_gone RENAME TO webhooks');
  }
});

it('secrets in variables and literals are neither logged nor returned', async () => {
  const create =
    'mutation ($input: ExchangeAccountCreateInput!) { createExchangeAccount(input: $input) { id } }';
  const credentials = { apiKey: secret, apiSecret: secret };
  const input = { exchange: 'paper', accountName: 'a', tradingType: 'spot', credentials };
  const requests = [
    { query: create, variables: { input } },
    { query: create, variables: { input: { ...input, exchange: secret.slice(0, 9), unknownField: secret } } },
    { query: create, variables: { input: { ...input, credentials: secret } } },
    { query: create, variables: { input: { ...input, accountName: { secret } } } },
    { query: `mutation { createExchangeAccount(input: {credentials: "${secret}"}) { id } }` },
  ];
  // Each is sent twice, because a document is compiled on its second use.
  for (const request of requests)
    for (let use = 0; use < 2; use++) {
      const { text } = await sendGraphql(api, owner.keyPair, request);
      expect(text).not.toContain(secret);
    }
  expect(api.log.join('')).not.toContain(secret);
});

describe('a price', () => {
  const PRICE = '10000.120000000000000001';
  const createTrade = async (price: string, isVariable: boolean) => {
    const accountId = await owner.account();
    await environment.rows(
      'UPDATE trade_pairs SET price_tick = 0.000000000000000001 WHERE symbol = $1',
      'BTC/USDT',
    );
    const inputLiteral = (priceValue: string) =>
      `{exchangeAccountId: "${accountId}", tradePairId: "${environment.pairId}", type: LIMIT, side: BUY, price: ${priceValue}, amount: "0.001"}`;
    const query = isVariable
      ? `mutation ($price: Decimal) { createTrade(input: ${inputLiteral('$price')}) { price } }`
      : `mutation { createTrade(input: ${inputLiteral(price)}) { price } }`;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"price": ${price}}}`;
    const { privateKey } = owner.keyPair;
    return post(api, body, { ...signRequest({ method: 'POST', path: '/graphql', privateKey, body }) });
  };

  it.each([
    ['a literal', false],
    ['a variable', true],
  ])('of 18 decimals keeps every digit if it is sent as a number in %s', async (_what, isVariable) => {
    const { data, errors } = await createTrade(PRICE, isVariable);
    expect([errors, data]).toEqual([undefined, { createTrade: { price: PRICE } }]);
  });
});

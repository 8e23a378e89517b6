import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from '../launch/first-trade/client.mjs';
import { openRawRequests } from '../launch/first-trade/raw-requests.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { freePort } from '../launch/ports.mjs';
import { startSmtpServer } from '../mailbox/smtp-server.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/**
 * Sends secrets through the product wherever a caller can send or receive one, also in requests that are wrong or fail, and
 * looks for each of them in everything that the product writes: log lines, metrics, Redis, Postgres and mails.
 */

/** Each secret by what it is. A value is marked as a secret when it is planted or received. */
const secrets = new Map();
/** Secrets that Postgres may store for their owner, for example in the URL of a webhook. */
const storedForOwner = new Set();
const plant = (what, value = `canary${randomBytes(24).toString('hex')}`) => {
  secrets.set(what, value);
  return value;
};

let product;
let trader;
let smtp;
let receiver;
let metricsPort;
const mails = [];
/** Responses of requests that return no secret of their own. */
const answers = [];

beforeAll(async () => {
  smtp = await startSmtpServer({ port: 0, onMail: (mail) => mails.push(mail) });
  receiver = await startReceiver(plant('body of a receiver'), plant('header of a receiver'));
  storedForOwner.add('body of a receiver').add('header of a receiver');
  metricsPort = await freePort();
  const debug = { LOG_LEVEL: 'debug' };
  product = await startProduct({
    graphqlApis: 1,
    extraEnv: {
      'rest-api': debug,
      'graphql-api': debug,
      'trading-worker': debug,
      'webhook-dispatcher': {
        ...debug,
        SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
        MAIL_FROM: 'from@example.com',
        METRICS_PORT: String(metricsPort),
      },
    },
  });
  trader = await openTrader(product, 'canaries: trader');
  plant('private key', Buffer.from(trader.privateKey).toString('hex'));
  plant('exchange key', trader.credentials.api_key);
  plant('exchange secret', trader.credentials.api_secret);
  await useCredentials();
  await useWebhooks();
  await sendWrongRequests();
  await useSignIn();
  await failInside();
}, 240_000);
afterAll(async () => {
  await product?.stop();
  await smtp?.close();
  receiver?.server.closeAllConnections();
  receiver?.server.close();
});

/** Keys that are created, rotated, revoked and rejected. */
async function useCredentials() {
  const { api } = trader;
  const key = await api.apiKeys.create({ name: 'canary', permissions: ['READ', 'ADMIN'] });
  plant('API key', key.key);
  const rotated = await api.apiKeys.rotate(key.id);
  plant('rotated API key', rotated.key);
  await createClient({ restUrl: product.restUrl, apiKey: rotated.key }).me.get();
  await api.exchanges
    .create({
      exchange: 'paper',
      account_name: 'rejected',
      trading_type: 'spot',
      credentials: { api_key: plant('rejected exchange key'), api_secret: plant('rejected exchange secret') },
    })
    .catch(() => undefined);
  await api.exchanges
    .test({
      exchange: 'paper',
      trading_type: 'spot',
      credentials: { api_key: plant('tested key'), api_secret: plant('tested secret') },
    })
    .catch(() => undefined);
  await api.me.update({ email: 'owner@example.com' });
  const mail = await until(
    async () => mails.find(({ to }) => to.includes('owner@example.com')),
    (found) => found !== undefined,
  );
  plant('link of a mail', /[?&]code=([\w.-]{16,})/.exec(mail.text)?.[1]);
}

/** Secrets of webhooks, tokens in their URLs, and what receivers answer. */
async function useWebhooks() {
  const { api } = trader;
  const token = plant('token in the URL of a webhook');
  storedForOwner.add('token in the URL of a webhook');
  const closedPort = await freePort();
  for (const url of [
    `${receiver.url}/hook?token=${token}`,
    `http://127.0.0.1:${closedPort}/hook?token=${token}`,
  ]) {
    const hook = await api.webhooks.create({ url, events: ['trade.created'] });
    plant(`secret of ${url.split('?')[0]}`, hook.secret);
    plant(`rotated secret of ${url.split('?')[0]}`, (await api.webhooks.rotateSecret(hook.id)).secret);
    answers.push(JSON.stringify(await api.webhooks.get(hook.id)).replaceAll(token, ''));
    await api.webhooks.test(hook.id).catch(() => undefined);
  }
  await placeOrder();
  await until(
    async () => receiver.count,
    (count) => count >= 2,
  );
}

async function placeOrder(headers = {}) {
  const body = JSON.stringify({
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: '10000',
    amount: '0.001',
  });
  const send = openRawRequests({ restUrl: product.restUrl, privateKey: trader.privateKey });
  return send('POST', '/v1/trades', { body, headers });
}

/** Secrets where they do not belong. */
async function sendWrongRequests() {
  const raw = openRawRequests({ restUrl: product.restUrl, privateKey: trader.privateKey });
  const anonymous = openRawRequests({ restUrl: product.restUrl });
  const key = `svc_test_${plant('API key in a wrong place')}`;
  const keep = ({ text }) => answers.push(text);
  keep(await anonymous('GET', `/v1/me?api_key=${key}`));
  keep(await anonymous('GET', '/v1/me', { headers: { 'x-api-key': key } }));
  keep(await anonymous('GET', '/v1/me', { headers: { authorization: `Bearer ${key}` } }));
  keep(
    await anonymous('GET', '/v1/me', {
      headers: { cookie: `session=${plant('cookie')}`, 'user-agent': key },
    }),
  );
  keep(await raw('GET', `/v1/trades/${plant('path')}`));
  keep(await raw('GET', `/v1/${plant('unknown route')}`));
  keep(await raw('GET', `/v1/trades?sort=${plant('parameter')}`));
  keep(await raw('POST', '/v1/trades', { body: `{"price": "${plant('malformed body')}"` }));
  keep(await raw('POST', '/v1/trades', { body: JSON.stringify({ amount: plant('invalid amount') }) }));
  keep(
    await raw('POST', '/v1/webhooks', {
      body: JSON.stringify({
        url: `https://user:${plant('password in a URL')}@example.com/`,
        events: ['trade.created'],
      }),
    }),
  );
  const withKey = { 'idempotency-key': plant('Idempotency-Key') };
  storedForOwner.add('Idempotency-Key');
  keep(await placeOrder(withKey));
  keep(await placeOrder(withKey));
}

/** The deprecated sign-in, with right and wrong secrets. */
async function useSignIn() {
  const password = plant('password');
  const send = async (query, variables, authorization = {}) => {
    const response = await fetch(`${product.urlOf('graphql-api')}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ query, variables }),
    });
    return response.text();
  };
  const email = 'sign-in@example.com';
  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { __typename } }';
  answers.push(
    await send(
      'mutation ($email: String!, $password: String!) { register(email: $email, password: $password) { __typename } }',
      { email, password },
    ),
    await send(login, { email, password }),
    await send(login, { email, password: plant('wrong password') }),
    await send(
      `mutation { login(email: "${email}", password: "${plant('password in a document')}") { __typename } }`,
    ),
    await send('mutation ($token: String!) { google_auth(id_token: $token) { __typename } }', {
      token: plant('token of a provider'),
    }),
    await send('{ me { id } }', {}, { authorization: `Bearer ${plant('access token')}` }),
  );
}

/** Failures of the parts that hold secrets: the exchange is gone, and processes are killed with requests in flight. */
async function failInside() {
  const orders = Array.from({ length: 5 }, () => placeOrder().catch(() => undefined));
  await product.kill('paper-exchange');
  await trader.api.exchanges.sync(trader.account.id).catch(() => undefined);
  await Promise.all(orders);
  const readyCount = () => product.lines.filter((line) => line.includes('event=process.ready')).length;
  const before = readyCount();
  await product.kill('trading-worker');
  await product.kill('webhook-dispatcher');
  await until(
    async () => readyCount(),
    (count) => count >= before + 2,
  );
}

/** Returns the secrets that `text` contains, in any usual encoding. */
function secretsIn(text, isExpected = () => false) {
  return [...secrets]
    .filter(([what]) => !isExpected(what))
    .filter(([, value]) => encodingsOf(value).some((encoded) => text.includes(encoded)))
    .map(([what]) => what);
}

function encodingsOf(value) {
  // The random part alone, because a prefix may be split off.
  const body = value.replace(/^(?:svc_(?:test|live)_|whsec_)/, '');
  const bytes = Buffer.from(body);
  // Base64 of a longer string contains this one in three alignments.
  const aligned = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [
    body,
    encodeURIComponent(body),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...aligned,
  ];
}

describe('no secret', () => {
  it('was missed by the search: every secret is a string of 16 or more characters, and is found in each encoding', () => {
    expect(secrets.size).toBeGreaterThan(25);
    for (const [what, value] of secrets) {
      expect([what, value.length >= 16]).toEqual([what, true]);
      for (const text of [
        value,
        `{"a":"${value}"}`,
        Buffer.from(`x${value}y`).toString('base64'),
        Buffer.from(value).toString('hex'),
      ])
        expect(secretsIn(text)).toContain(what);
    }
  });

  it('is in a log line', () => {
    expect(product.lines.length).toBeGreaterThan(50);
    expect(product.lines.flatMap((line) => secretsIn(line).map((what) => `${what}: ${line}`))).toEqual([]);
  });

  it('is in the metrics, which name no user, URL or id either', async () => {
    const metrics = await until(
      // The dispatcher was killed above and may not have started again.
      () =>
        fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
          (response) => response.text(),
          () => '',
        ),
      (text) => text.includes('# HELP'),
    );
    expect(metrics.split('\n').length).toBeGreaterThan(50);
    expect(secretsIn(metrics)).toEqual([]);
    expect(metrics).not.toMatch(/https?:|[a-z]{3}_[0-9a-z]{26}|@example\.com/);
  });

  it('is in Redis', async () => {
    const redis = new Redis(product.redisUrl);
    const keys = await redis.keys('*');
    const values = await Promise.all(keys.map((key) => readKey(redis, key)));
    redis.disconnect();
    expect(keys.length).toBeGreaterThan(3);
    expect(secretsIn([...keys, ...values].join('\n'))).toEqual([]);
  });

  it('is in Postgres, except what is stored for its owner', async () => {
    const client = new pg.Client({ connectionString: product.databaseUrl });
    await client.connect();
    const { rows: tables } = await client.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    const found = [];
    for (const { table_name } of tables) {
      const { rows } = await client.query(`SELECT t::text AS text FROM "${table_name}" t`);
      for (const { text } of rows)
        for (const what of secretsIn(text, (each) => storedForOwner.has(each)))
          found.push(`${what}: ${table_name}`);
    }
    await client.end();
    expect(tables.length).toBeGreaterThan(20);
    expect(found).toEqual([]);
  });

  it('is in a mail, except the code in the link to its reader, or in a response to a request that did not create it', () => {
    expect(mails.flatMap((mail) => secretsIn(JSON.stringify(mail)))).toEqual(['link of a mail']);
    expect(answers.length).toBeGreaterThan(15);
    const isKeptForReplay = (what) => what === 'Idempotency-Key';
    expect(
      answers.flatMap((answer) => secretsIn(answer, isKeptForReplay).map((what) => `${what}: ${answer}`)),
    ).toEqual([]);
  });
});

/** Returns everything that a key of any type holds. */
async function readKey(redis, key) {
  switch (await redis.type(key)) {
    case 'string':
      return await redis.get(key);
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, 0, -1));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}

/** A receiver that fails, and answers with its own secrets. */
async function startReceiver(body, header) {
  const received = { count: 0 };
  const server = createServer((_request, response) => {
    received.count++;
    response.writeHead(500, { 'x-secret': header }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = server.address();
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    get count() {
      return received.count;
    },
  };
}

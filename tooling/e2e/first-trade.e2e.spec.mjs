import { Redis } from 'ioredis';
import pg from 'pg';
import { playFirstTrade } from '../launch/first-trade/by-cli.mjs';
import { runFirstTrade, until } from '../launch/first-trade/scenario.mjs';
import { freePort } from '../launch/ports.mjs';
import { openSharedProduct } from './shared-product.mjs';

/** @type {import('./shared-product.mjs').SharedProduct} */
let product;
const steps = [];
let trade;
beforeAll(async () => {
  product = await openSharedProduct();
  trade = await runFirstTrade({
    restUrl: product.restUrl,
    paperExchangeUrl: product.paperExchangeUrl,
    step: (name) => steps.push(name),
  });
}, 120_000);

describe('the first trade, through the public API and with real processes', () => {
  it('gets from a key pair to a filled trade, a cancelled trade and verified webhooks', async () => {
    expect(steps.at(-1)).toBe('webhooks received and verified');
    expect(trade.synced.balance).toMatchObject({ USDT: 100_000, BTC: 1 });
    expect(trade.limit).toMatchObject({ status: 'PENDING', type: 'LIMIT', price: 10_000, amount: 0.001 });
    expect(trade.filled).toMatchObject({ status: 'FILLED', filled_amount: 0.01, remaining_amount: 0 });
    const fills = trade.filled.fills.reduce((sum, { amount }) => sum + amount, 0);
    expect(fills).toBeCloseTo(0.01, 10);
    expect(trade.filled.fee).toMatchObject({ currency: 'BTC' });
    expect(trade.resting).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    expect(trade.cancelled).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER', filled_amount: 0 });
    expect(trade.deliveries.every(({ isGenuine }) => isGenuine)).toBe(true);

    const delivered = new Set(trade.deliveries.map(({ event }) => event.event_id));
    const page = await until(
      async () => (await trade.trader.webhooks.deliveries(trade.webhook.id, { limit: 100 })).data,
      (list) => list.filter(({ event_id }) => delivered.has(event_id)).length === delivered.size,
    );
    for (const { event_id, ...attempt } of page) {
      if (delivered.has(event_id)) expect(attempt).toMatchObject({ status: 'SUCCEEDED', status_code: 204 });
    }
  });

  it('stores no plain-text secret in Postgres, Redis or a log', async () => {
    const secrets = {
      'API key': trade.key,
      'exchange API key': trade.credentials.api_key,
      'exchange API secret': trade.credentials.api_secret,
      'webhook secret': trade.webhook.secret,
      'webhook secret, its key': trade.webhook.secret.slice('whsec_'.length),
    };
    const places = {
      Postgres: await textOfDatabase(product.databaseUrl),
      Redis: await textOfRedis(product.redisUrl),
      'the logs': (await product.lines()).join('\n'),
    };
    // The searched stores really contain the data of this run.
    expect(places.Postgres).toContain(trade.market.client_order_id);
    expect(places.Redis).toContain('submit-');
    expect(places['the logs']).toContain('ready');
    for (const [place, text] of Object.entries(places)) {
      for (const [name, secret] of Object.entries(secrets)) {
        const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')];
        expect([place, name, forms.some((form) => text.includes(form))]).toEqual([place, name, false]);
      }
    }
  });
});

describe('npm run demo, the first trade with the packed command line', () => {
  it('gets from an empty home folder to a filled trade, a cancelled trade and verified webhooks, and prints no secret', async () => {
    const { restUrl, paperExchangeUrl } = product;
    const shown = [];
    const played = await playFirstTrade({ restUrl, paperExchangeUrl, show: (each) => shown.push(each) });
    expect(shown.map(({ command }) => command.split(' ').slice(0, 3).join(' '))).toEqual([
      'svc auth login',
      'svc dev seed',
      'svc pairs list',
      'svc webhooks create',
      'svc trades create',
      'svc trades create',
      'svc trades watch',
      'svc trades get',
      'svc trades cancel',
      'svc webhooks deliveries',
    ]);
    expect(played.limit).toMatchObject({ status: 'PENDING' });
    expect(played.filled).toMatchObject({
      status: 'FILLED',
      filled_amount: '0.01',
      fee: { currency: 'BTC' },
    });
    expect(played.cancelled).toEqual({ status: 'CANCELLED', cancel_reason: 'USER', filled_amount: '0' });
    expect(played.deliveries.every(({ isGenuine }) => isGenuine)).toBe(true);
    const text = shown.map(({ output }) => output).join('\n');
    expect(text).toContain('BTC/USDT');
    expect(text).toContain(played.market.id);
    expect(text).not.toContain(played.webhook.secret);
  });

  it('fails with the message of the command that failed', async () => {
    const { restUrl } = product;
    const unusedUrl = `http://127.0.0.1:${await freePort()}`;
    await expect(playFirstTrade({ restUrl, paperExchangeUrl: unusedUrl })).rejects.toThrow(
      /^\$ svc dev seed .*\n.*No response from the paper exchange/s,
    );
  });
});

/** Returns every row of every table as a string, with binary columns in hex and as raw bytes. */
async function textOfDatabase(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    );
    const texts = [];
    for (const { tablename } of tables) {
      const { rows } = await client.query(`SELECT t::text AS text, t.* FROM "${tablename}" t`);
      for (const { text, ...columns } of rows) {
        texts.push(text);
        for (const value of Object.values(columns))
          if (Buffer.isBuffer(value)) texts.push(value.toString('latin1'));
      }
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** Returns every key with its value of any type. */
async function textOfRedis(redisUrl) {
  const redis = new Redis(redisUrl);
  try {
    const texts = [];
    for (const key of await redis.keys('*')) {
      const dump = await redis.dumpBuffer(key);
      const hash = (await redis.type(key)) === 'hash' ? JSON.stringify(await redis.hgetall(key)) : '';
      texts.push(key, hash, dump?.toString('latin1') ?? '');
    }
    return texts.join('\n');
  } finally {
    redis.disconnect();
  }
}

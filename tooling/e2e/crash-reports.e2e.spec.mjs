import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKeys } from '../launch/keys.mjs';
import { root } from '../launch/paths.mjs';
import { listServices } from '../launch/service-list.mjs';
import { migrateDatabase } from '../launch/service-processes.mjs';
import { startTestServers } from '../launch/test-servers.mjs';

/** A secret of words: no rule for random strings recognises it. */
const CANARY = 'canary-correct-horse';

let folder;
let servers;
let services;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trading-automation-crash-reports-'));
  servers = await startTestServers({ postgres: true, redis: true });
  await migrateDatabase(servers.databaseUrl);
  services = listServices({
    ...servers,
    keys: await ensureKeys(join(folder, 'keys')),
    paperExchangeDir: join(folder, 'paper-exchange'),
    ports: { rest: 0, graphql: 0, paperExchange: 0 },
  });
  const { databaseUrl: DATABASE_URL } = servers;
  services.push({ name: 'migrator', app: 'migrator', env: { WORLD: 'test', DATABASE_URL } });
}, 60_000);
afterAll(async () => {
  await servers?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a service with some other variables until it ends, or until it is ready. */
async function run(name, variables) {
  const { app, env } = services.find((service) => service.name === name);
  const child = fork(join(root, 'apps', app, 'dist', 'main.js'), [], {
    silent: true,
    execArgv: [],
    env: { PATH: process.env.PATH, ...env, NODE_OPTIONS: '', ...variables },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      if (output.includes('process.ready')) child.kill();
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, output };
}

const withPassword = (url) => Object.assign(new URL(url), { password: CANARY }).href;
const DATABASE = {
  'the wrong password': (url) => withPassword(url),
  'an unescaped password': () => `postgres://${CANARY}#x@127.0.0.1/test`,
  'an invalid escape': () => `postgres://trading:${CANARY}%zz@127.0.0.1/test`,
};

describe('what a service prints contains no secret, and each line is a log line, if', () => {
  it.each([
    ...['rest-api', 'trading-worker', 'webhook-dispatcher', 'migrator'].flatMap((name) =>
      Object.entries(DATABASE).map(([fault, urlOf]) => [
        name,
        `DATABASE_URL has ${fault}`,
        () => ({ DATABASE_URL: urlOf(servers.databaseUrl) }),
      ]),
    ),
    ['graphql-api', 'DATABASE_URL is not a URL', () => ({ DATABASE_URL: CANARY })],
    ['trading-worker', 'REDIS_URL lacks its slashes', () => ({ REDIS_URL: `redis:${CANARY}` })],
    ['rest-api', 'SERVER_KEYS is invalid', () => ({ SERVER_KEYS: CANARY })],
    ['rest-api', 'the server fails because of its host', () => ({ HOST: 'no.such.host.invalid', PORT: '1' })],
    ['trading-worker', 'EXCHANGE_OPENING_KEYS is invalid', () => ({ EXCHANGE_OPENING_KEYS: `k1.${CANARY}` })],
    ['webhook-dispatcher', 'WEBHOOK_OPENING_KEYS is invalid', () => ({ WEBHOOK_OPENING_KEYS: CANARY })],
    [
      'webhook-dispatcher',
      'SMTP_URL sends its password plainly',
      () => ({ SMTP_URL: `smtp://u:${CANARY}@h` }),
    ],
    [
      'graphql-api',
      'SIGN_IN_PROVIDERS is invalid',
      () => ({ SIGN_IN_PROVIDERS: JSON.stringify({ x: { client_secret: CANARY }, [CANARY]: 1 }) }),
    ],
  ])(
    '%s does not start: %s',
    async (name, _fault, variablesOf) => {
      const { code, output } = await run(name, variablesOf());
      expect(code).toBe(1);
      expect(output).not.toContain(CANARY);
      const events = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event);
      expect(events.at(-1)).toMatch(
        /^(?:config\.invalid|nest\.failed|process\.start_failed|schema\.migration_failed)$/,
      );
    },
    30_000,
  );

  it('a library prints about the password of Redis', async () => {
    const { code, output } = await run('trading-worker', { REDIS_URL: withPassword(servers.redisUrl) });
    expect(code).toBe(0);
    expect(output).not.toContain(CANARY);
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'process.printed', service: 'trading-worker' }),
    );
  }, 30_000);
});

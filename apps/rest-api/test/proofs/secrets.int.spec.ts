/** Calls all operations, then tests that a webhook's secret is returned only when it is created or rotated. */
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { Redis } from 'ioredis';
import { goodRequest, perform } from './contract.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

/** The only operations that return a secret. */
const REVEALING = ['webhooks.create', 'webhooks.rotateSecret'];
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/g;

let environment: TestEnvironment;
let owner: TestUser;
const responseTexts = new Map<Operation, string[]>();
const secrets = new Set<string>();

beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  // Call each operation twice: the second round uses the records of the first.
  for (let round = 0; round < 2; round++) {
    for (const operation of OPERATIONS) {
      const { text, json } = await perform(operation, owner, await goodRequest(operation, owner));
      if (json.error !== undefined) throw new Error(`${operation.id}: ${text}`);
      responseTexts.set(operation, [...(responseTexts.get(operation) ?? []), text]);
      for (const [secret] of text.matchAll(SECRET)) secrets.add(secret);
    }
  }
});
afterAll(() => environment?.close());

/** Returns the strings to search for: the prefix, each secret in several encodings, and all of these in hex. */
function encodedSecrets(): string[] {
  return [...secrets].flatMap((secret) => {
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const texts = [
      'whsec_',
      secret.slice('whsec_'.length),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ];
    return [...texts, ...texts.map((text) => Buffer.from(text).toString('hex'))];
  });
}
function expectNoSecret(text: string): void {
  for (const encoded of encodedSecrets()) expect(text.includes(encoded)).toBe(false);
}

describe('W4: the secret of a webhook', () => {
  it('is returned only when it is created or rotated', () => {
    for (const [operation, texts] of responseTexts) {
      const isRevealing = REVEALING.includes(operation.id);
      for (const text of texts)
        expect([operation.id, text.includes('whsec_')]).toEqual([operation.id, isRevealing]);
    }
    expect(secrets.size).toBe(4);
  });

  it.each(OPERATIONS.filter(({ id }) => !REVEALING.includes(id)).map(({ id }) => id))(
    'is not returned by %s',
    (id) => {
      const [, texts = []] = [...responseTexts].find(([operation]) => operation.id === id) ?? [];
      expect(texts).toHaveLength(2);
      for (const text of texts) expectNoSecret(text);
    },
  );

  it('is stored only sealed; no event, e-mail, notification or other row contains it', async () => {
    const tables = await environment.rows(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    expect(tables.map(({ table_name }) => table_name)).toEqual(
      expect.arrayContaining(['webhooks', 'outbox_events', 'notifications', 'mails', 'idempotency_keys']),
    );
    for (const { table_name } of tables) {
      const rows = await environment.rows(`SELECT t::text AS text FROM "${table_name}" t`);
      expectNoSecret(rows.map(({ text }) => text).join('\n'));
    }
    const [sealed] = await environment.rows(
      'SELECT count(*)::int AS count FROM webhooks WHERE secret_sealed IS NOT NULL',
    );
    expect(Number(sealed?.count)).toBeGreaterThan(0);
  });

  it('is neither in the log nor in Redis', async () => {
    expect(environment.api.log.length).toBeGreaterThan(0);
    expectNoSecret(environment.api.log.join('\n'));
    const redis = new Redis(process.env.TEST_REDIS_URL ?? '');
    const keysWithSecret: string[] = [];
    try {
      for await (const keys of redis.scanStream({ count: 1_000 })) {
        for (const key of keys as string[]) {
          const dump = (await redis.dumpBuffer(key)) ?? Buffer.alloc(0);
          if (encodedSecrets().some((encoded) => key.includes(encoded) || dump.includes(encoded)))
            keysWithSecret.push(key);
        }
      }
    } finally {
      redis.disconnect();
    }
    expect(keysWithSecret).toEqual([]);
  });
});

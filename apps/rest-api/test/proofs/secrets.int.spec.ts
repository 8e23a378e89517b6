/** Tests W4: only the creation and the rotation of a webhook's secret return it. All operations are called first. */
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
const told = new Map<Operation, string[]>();
const secrets = new Set<string>();

beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  // Call each operation twice: the second round uses the records of the first.
  for (let round = 0; round < 2; round++) {
    for (const operation of OPERATIONS) {
      const { text, json } = await perform(operation, owner, await goodRequest(operation, owner));
      if (json.error !== undefined) throw new Error(`${operation.id}: ${text}`);
      told.set(operation, [...(told.get(operation) ?? []), text]);
      for (const [secret] of text.matchAll(SECRET)) secrets.add(secret);
    }
  }
});
afterAll(() => environment?.close());

/** The forms of the secrets to search for: the strings, their bytes, and the bytes in dump format. */
function traces(): string[] {
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
function expectNoTrace(text: string): void {
  for (const trace of traces()) expect(text.includes(trace)).toBe(false);
}

describe('W4: the secret of a webhook', () => {
  it('is returned when it is created or rotated', () => {
    for (const [operation, texts] of told) {
      const isTelling = REVEALING.includes(operation.id);
      for (const text of texts)
        expect([operation.id, text.includes('whsec_')]).toEqual([operation.id, isTelling]);
    }
    expect(secrets.size).toBe(4);
  });

  it.each(OPERATIONS.filter(({ id }) => !REVEALING.includes(id)).map(({ id }) => id))(
    'is not returned by %s',
    (id) => {
      const [, texts = []] = [...told].find(([operation]) => operation.id === id) ?? [];
      expect(texts).toHaveLength(2);
      for (const text of texts) expectNoTrace(text);
    },
  );

  it('is only stored sealed, and is in no event, e-mail, notification or other row', async () => {
    const tables = await environment.rows(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    expect(tables.map(({ table_name }) => table_name)).toEqual(
      expect.arrayContaining(['webhooks', 'outbox_events', 'notifications', 'mails', 'idempotency_keys']),
    );
    for (const { table_name } of tables) {
      const rows = await environment.rows(`SELECT t::text AS text FROM "${table_name}" t`);
      expectNoTrace(rows.map(({ text }) => text).join('\n'));
    }
    const [sealed] = await environment.rows(
      'SELECT count(*)::int AS count FROM webhooks WHERE secret_sealed IS NOT NULL',
    );
    expect(Number(sealed?.count)).toBeGreaterThan(0);
  });

  it('is not in the log, nor in Redis', async () => {
    expect(environment.api.log.length).toBeGreaterThan(0);
    expectNoTrace(environment.api.log.join('\n'));
    const redis = new Redis(process.env.TEST_REDIS_URL ?? '');
    const found: string[] = [];
    try {
      for await (const keys of redis.scanStream({ count: 1_000 })) {
        for (const key of keys as string[]) {
          const dump = (await redis.dumpBuffer(key)) ?? Buffer.alloc(0);
          if (traces().some((trace) => key.includes(trace) || dump.includes(trace))) found.push(key);
        }
      }
    } finally {
      redis.disconnect();
    }
    expect(found).toEqual([]);
  });
});

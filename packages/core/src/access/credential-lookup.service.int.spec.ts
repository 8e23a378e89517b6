import { randomBytes } from 'node:crypto';
import { type ApiKeyCreate, apiKeyCreate, decodeId, encodeId } from '@trading-automation/contracts';
import { type Listener, newUuid, type OnNotify } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CoreUnderTest, countStatements } from '../testing/index.js';
import { hashApiKey } from './api-key.js';
import { ApiKeysService } from './api-keys.service.js';
import { CREDENTIALS_CHANGED, CredentialLookup } from './credential-lookup.service.js';
import { PublicKeysService } from './public-keys.service.js';

let core: CoreUnderTest;
let actor: Actor;
let lookup: CredentialLookup;
let keys: ApiKeysService;
let publicKeys: PublicKeysService;
let listener: { connected: boolean } & Omit<Listener, 'connected'>;

beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.keyPairActor();
  const { world, database } = core.platform;
  listener = createLocalOnlyListener();
  const platform = new Platform(world, database, listener);
  lookup = new CredentialLookup(platform);
  keys = new ApiKeysService(platform, core.lists, core.commands);
  publicKeys = new PublicKeysService(platform, core.lists, core.commands);
  await createKey({ permissions: ['ADMIN'] });
});

/** Creates a listener that is connected and gets local notifications, but no notifications from Postgres. */
function createLocalOnlyListener(): typeof listener {
  const subscriptions: { channel: string; onNotify: OnNotify }[] = [];
  return {
    connected: true,
    subscribe(channel, onNotify) {
      subscriptions.push({ channel, onNotify });
      return () => undefined;
    },
    notifyLocally(channel) {
      for (const subscription of subscriptions)
        if (subscription.channel === channel) subscription.onNotify(undefined);
    },
    stop: async () => undefined,
  };
}

const createKey = (more: Record<string, unknown> = {}) =>
  keys.create(actor, apiKeyCreate.parse({ name: 'key', ...more }) as ApiKeyCreate);

describe('a process that changed a credential, before its notification arrives,', () => {
  it('rejects a revoked API key', async () => {
    const { id, key } = await createKey();
    expect(await lookup.byApiKeyHash(hashApiKey(key))).toMatchObject({ userId: actor.userId });
    await keys.revoke(actor, id);
    expect(await lookup.byApiKeyHash(hashApiKey(key))).toBeNull();
  });

  it('rejects the old value of a rotated API key', async () => {
    const before = await createKey();
    expect(await lookup.byApiKeyHash(hashApiKey(before.key))).not.toBeNull();
    const after = await keys.rotate(actor, before.id);
    expect(await lookup.byApiKeyHash(hashApiKey(before.key))).toBeNull();
    expect(await lookup.byApiKeyHash(hashApiKey(after.key))).toMatchObject({ userId: actor.userId });
  });

  it('rejects a revoked public key', async () => {
    const id = newUuid();
    const pubkey = `02${randomBytes(32).toString('hex')}`;
    await core.rows(
      'INSERT INTO public_keys (id, user_id, pubkey) VALUES ($1, $2, $3)',
      id,
      actor.userId,
      pubkey,
    );
    expect(await lookup.byPublicKey(pubkey)).toMatchObject({ userId: actor.userId });
    await publicKeys.revoke(actor, encodeId('pbk', id));
    expect(await lookup.byPublicKey(pubkey)).toBeNull();
  });
});

it('the cache is cleared when it is full, so that it does not grow with the number of credentials', async () => {
  const { world, database } = core.platform;
  const small = new CredentialLookup(new Platform(world, database, createLocalOnlyListener()), 2);
  const hashes = [await createKey(), await createKey(), await createKey()].map(({ key }) => hashApiKey(key));
  for (const hash of hashes) await small.byApiKeyHash(hash);
  const statementsFor = (hash: Buffer) => countStatements(database, () => small.byApiKeyHash(hash));
  expect(await statementsFor(hashes[2]!)).toBe(0);
  expect(await statementsFor(hashes[0]!)).toBe(1);
});

describe('a credential that was looked up before', () => {
  const revokeElsewhere = (id: string) =>
    core.rows('UPDATE api_keys SET revoked_at = now() WHERE id = $1', decodeId('key', id));

  it('is read from the cache only while notifications of changes arrive', async () => {
    const { id, key } = await createKey();
    const hash = hashApiKey(key);
    expect(await lookup.byApiKeyHash(hash)).toMatchObject({ userId: actor.userId });
    await revokeElsewhere(id);
    expect(await lookup.byApiKeyHash(hash)).toMatchObject({ userId: actor.userId });
    listener.connected = false;
    expect(await lookup.byApiKeyHash(hash)).toBeNull();
    listener.connected = true;
    expect(await lookup.byApiKeyHash(hash)).toBeNull();
  });

  it('is not stored if it was read without notifications', async () => {
    const { id, key } = await createKey();
    listener.connected = false;
    expect(await lookup.byApiKeyHash(hashApiKey(key))).toMatchObject({ userId: actor.userId });
    listener.connected = true;
    await revokeElsewhere(id);
    expect(await lookup.byApiKeyHash(hashApiKey(key))).toBeNull();
  });

  it('is not stored if it changed while it was read', async () => {
    const { id, key } = await createKey();
    const { world, database } = core.platform;
    // The notification arrives after Postgres has read the row, and before the process gets the row.
    const query = async (text: string, params: unknown[]) => {
      const rows = await database.query(text, params);
      listener.notifyLocally(CREDENTIALS_CHANGED);
      return rows;
    };
    const reading = new CredentialLookup(new Platform(world, { query } as typeof database, listener));
    expect(await reading.byApiKeyHash(hashApiKey(key))).toMatchObject({ userId: actor.userId });
    await revokeElsewhere(id);
    expect(await reading.byApiKeyHash(hashApiKey(key))).toBeNull();
  });
});

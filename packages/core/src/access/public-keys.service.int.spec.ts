import { createHash } from 'node:crypto';
import { accessOperations, apiKeyCreate, encodeId, publicKey } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { identityMessage, nobleEngine, publicKeyOf, signMessage } from '@trading-automation/signed-request';
import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { ApiKeysService } from './api-keys.service.js';
import { CredentialLookup } from './credential-lookup.service.js';
import { IdentityService } from './identity.service.js';
import { PublicKeysService } from './public-keys.service.js';

let core: CoreUnderTest;
let keys: PublicKeysService;
let apiKeys: ApiKeysService;
let identities: IdentityService;
let actor: Actor;
let labelCount = 0;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const { platform, lists, commands } = core;
  keys = new PublicKeysService(platform, lists, commands);
  apiKeys = new ApiKeysService(platform, lists, commands);
  identities = new IdentityService({ platform, commands, engine: nobleEngine, isRegistrationOpen: true });
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
});

/** Runs `create` while the caller's API key exists. It is deleted afterwards, so that no test counts it. */
async function asExisting<T>(caller: Actor | null, create: () => Promise<T>): Promise<T> {
  if (caller === null) return create();
  const { id } = caller.credential;
  await core.rows(
    `INSERT INTO api_keys (id, user_id, name, prefix, last_four, permissions, ip_allowlist, hash)
     VALUES ($1, $2, 'caller', 'svc_test_', 'last', '{ADMIN}', '{}', $3)`,
    id,
    caller.userId,
    Buffer.from(id),
  );
  try {
    return await create();
  } finally {
    await core.rows('DELETE FROM api_keys WHERE id = $1', id);
  }
}

const newLabel = () => `public key ${++labelCount}`;
async function link(label: string = newLabel(), caller: Actor | null = actor) {
  const privateKey = createHash('sha256').update(label).digest();
  const pubkey = publicKeyOf(privateKey);
  const { challenge } = await identities.challenge({});
  const signature = signMessage(identityMessage(challenge, pubkey), privateKey);
  const proof = { challenge, pubkey, signature, label };
  return (await asExisting(caller, () => identities.identify(caller, proof))).identity;
}
const list = (query = '', caller: Actor = actor) =>
  keys.list(
    caller,
    querySchemaOf(accessOperations.listPublicKeys).parse(
      Object.fromEntries(new URLSearchParams(query)),
    ) as Parameters<PublicKeysService['list']>[1],
  );
const lastAdmin = { code: 'invalid_state', details: [{ state: 'LAST_ADMIN' }] };
const createAdminKey = () =>
  asExisting(actor, () =>
    apiKeys.create(actor, apiKeyCreate.parse({ name: 'admin', permissions: ['ADMIN'] })),
  );

describe('the public keys of an account', () => {
  it('are listed; revoked keys are included only on request', async () => {
    const [first, second] = [await link(), await link()];
    expect((await list()).items).toEqual([second, first]);
    expect(await keys.revoke(actor, first.id)).toEqual({ id: first.id, deleted: true });
    expect((await list()).items).toEqual([second]);
    const [, revoked] = (await list('include=revoked')).items;
    expect(revoked).toEqual({ ...first, revoked_at: revoked?.revoked_at });
    expect(publicKey.parse(revoked)).toEqual(revoked);
    const { type, data } = (await core.events(actor.userId)).at(-1)!;
    expect([type, data]).toEqual(['key.revoked', JSON.parse(JSON.stringify(revoked))]);
  });

  it('are hidden from other users and from credentials without ADMIN', async () => {
    const [{ id }] = [await link(), await link()];
    const other = await core.actor();
    expect((await list('include=revoked', other)).items).toEqual([]);
    for (const unknownId of [id, encodeId('pbk', newUuid()), 'pbk_x', encodeId('key', newUuid())]) {
      await expect(keys.revoke(other, unknownId)).rejects.toMatchObject({ code: 'not_found' });
    }
    const actorWithoutAdmin: Actor = {
      ...actor,
      credential: { ...actor.credential, permissions: ['READ', 'TRADE', 'WITHDRAW'] },
    };
    await expect(list('', actorWithoutAdmin)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(keys.revoke(actorWithoutAdmin, id)).rejects.toMatchObject({ code: 'permission_denied' });
    expect((await list()).items).toHaveLength(2);
  });
});

describe('revoking a public key', () => {
  it('takes effect in every process; the holder of the private key may link the public key again', async () => {
    const another = await core.openSecondPlatform();
    const lookup = new CredentialLookup(another);
    const label = newLabel();
    const [first] = [await link(label), await link()];
    expect(await lookup.byPublicKey(first.pubkey)).toMatchObject({ userId: actor.userId });
    await keys.revoke(actor, first.id);
    while ((await lookup.byPublicKey(first.pubkey)) !== null) {
      // A look-up in the cache never yields to the event loop, so this line lets the notification arrive.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect(keys.revoke(actor, first.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'REVOKED' }],
    });

    const again = await link(label);
    expect(again.pubkey).toBe(first.pubkey);
    expect(again.id).not.toBe(first.id);
    expect(await lookup.byPublicKey(first.pubkey)).toMatchObject({ userId: actor.userId });
    expect((await list('include=revoked')).items).toHaveLength(3);
  });

  it('allows another account to link the key', async () => {
    const label = newLabel();
    const [first] = [await link(label), await link()];
    const other = await core.actor();
    await expect(link(label, other)).rejects.toMatchObject({ code: 'already_exists' });
    await keys.revoke(actor, first.id);
    expect(await link(label, other)).toMatchObject({ user_id: encodeId('usr', other.userId) });
  });

  it('is rejected for the last credential with ADMIN, and changes nothing', async () => {
    const only = await link();
    await asExisting(actor, () => apiKeys.create(actor, apiKeyCreate.parse({ name: 'lesser' })));
    await expect(keys.revoke(actor, only.id)).rejects.toMatchObject(lastAdmin);
    expect((await list()).items).toEqual([only]);
    expect((await core.events(actor.userId)).map(({ type }) => type)).not.toContain('key.revoked');
    await createAdminKey();
    await expect(keys.revoke(actor, only.id)).resolves.toMatchObject({ deleted: true });
  });

  it('succeeds for only one of the last two ADMIN credentials that are revoked concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      actor = await core.actor();
      const { id } = await link();
      const revocations =
        round % 2 === 0
          ? [keys.revoke(actor, id), keys.revoke(actor, (await link()).id)]
          : [keys.revoke(actor, id), apiKeys.revoke(actor, (await createAdminKey()).id)];
      const outcomes = await Promise.allSettled(revocations);
      const rejections = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason] : [],
      );
      expect(rejections).toMatchObject([lastAdmin]);
      const left = (await list()).items.length + (await countActiveAdminKeys());
      expect(left).toBe(1);
    }
  });

  it('succeeds for one of ten concurrent requests', async () => {
    const [{ id }] = [await link(), await link()];
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => keys.revoke(actor, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const kinds = (await core.events(actor.userId)).map(({ type }) => type);
    expect(kinds.filter((kind) => kind === 'key.revoked')).toHaveLength(1);
  });
});

async function countActiveAdminKeys(): Promise<number> {
  const rows = await core.rows(
    "SELECT FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL AND 'ADMIN' = ANY (permissions)",
    actor.userId,
  );
  return rows.length;
}

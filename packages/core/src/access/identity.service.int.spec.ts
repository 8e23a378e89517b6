import { createHash } from 'node:crypto';
import { type CliIdentityCreate, cliChallenge, me, publicKey } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { identityMessage, nobleEngine, publicKeyOf, signMessage } from '@trading-automation/signed-request';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { IdentityService } from './identity.service.js';

let core: CoreUnderTest;
let identities: IdentityService;
/** A service with closed registration: it opens no accounts. */
let closedIdentities: IdentityService;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const { platform, commands } = core;
  identities = new IdentityService({ platform, commands, engine: nobleEngine, isRegistrationOpen: true });
  closedIdentities = new IdentityService({
    platform,
    commands,
    engine: nobleEngine,
    isRegistrationOpen: false,
  });
});
afterAll(() => core.close());

const privateKey = (label: string) => createHash('sha256').update(label).digest();
const pubkeyOf = (label: string) => publicKeyOf(privateKey(label));
function proofOf(label: string, challenge: string): CliIdentityCreate {
  const pubkey = pubkeyOf(label);
  return { challenge, pubkey, signature: signMessage(identityMessage(challenge, pubkey), privateKey(label)) };
}
/** Creates a proof for a new challenge: the challenge, signed by the key `label`. */
const newProof = async (label: string) => proofOf(label, (await identities.challenge({})).challenge);
const link = async (label: string, caller: Actor | null = null) =>
  identities.identify(caller, await newProof(label));
const keysOf = (label: string) =>
  core.rows(
    'SELECT user_id, revoked_at FROM public_keys WHERE pubkey = $1 ORDER BY created_at',
    pubkeyOf(label),
  );
const countUsers = async () => (await core.row('SELECT count(*)::int FROM users')).count as number;
const revoke = (label: string) =>
  core.rows('UPDATE public_keys SET revoked_at = now() WHERE pubkey = $1', pubkeyOf(label));
const badChallenge = { code: 'validation_failed', details: [{ field: 'challenge' }] };

describe('a challenge', () => {
  it('is 32 random bytes, valid for five minutes', async () => {
    const challenges = await Promise.all(Array.from({ length: 20 }, () => identities.challenge({})));
    for (const challenge of challenges) {
      expect(cliChallenge.parse(challenge)).toEqual(challenge);
      const leftMs = Date.parse(challenge.expires_at) - Date.now();
      expect(leftMs).toBeGreaterThan(290_000);
      expect(leftMs).toBeLessThan(310_000);
    }
    expect(new Set(challenges.map(({ challenge }) => challenge)).size).toBe(20);
  });

  it('is accepted for only one of 20 concurrent proofs', async () => {
    const signedProof = await newProof('twenty');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => identities.identify(null, signedProof)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(badChallenge);
    }
    await expect(identities.identify(null, signedProof)).rejects.toMatchObject(badChallenge);
    expect(await keysOf('twenty')).toHaveLength(1);
  });

  it('is rejected once it has expired, and is deleted by a later request', async () => {
    const signedProof = await newProof('late');
    await core.rows("UPDATE cli_challenges SET expires_at = now() - interval '1 second'");
    await expect(identities.identify(null, signedProof)).rejects.toMatchObject(badChallenge);
    await identities.challenge({});
    expect(await core.rows('SELECT FROM cli_challenges WHERE challenge = $1', signedProof.challenge)).toEqual(
      [],
    );
  });

  it('is rejected if it was never issued', async () => {
    const unissued = proofOf('made up', createHash('sha256').update('made up').digest('hex'));
    await expect(identities.identify(null, unissued)).rejects.toMatchObject(badChallenge);
  });

  it('that was issued for one key is rejected for another key', async () => {
    const { challenge } = await identities.challenge({ pubkey: pubkeyOf('meant') });
    await expect(identities.identify(null, proofOf('other', challenge))).rejects.toMatchObject(badChallenge);
    await expect(identities.identify(null, proofOf('meant', challenge))).resolves.toMatchObject({
      isNew: true,
    });
  });

  it('is not consumed by a rejected proof', async () => {
    const signedProof = await newProof('careful');
    const other = proofOf('somebody', signedProof.challenge);
    for (const signature of [
      other.signature,
      '0'.repeat(128),
      signedProof.signature.slice(0, -2).concat(signedProof.signature.endsWith('00') ? '01' : '00'),
    ]) {
      await expect(identities.identify(null, { ...signedProof, signature })).rejects.toMatchObject({
        code: 'invalid_signature',
        details: [{ field: 'signature' }],
      });
    }
    await expect(closedIdentities.identify(null, signedProof)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(identities.identify(null, signedProof)).resolves.toMatchObject({ isNew: true });
  });
});

describe('a sign-in session', () => {
  it('links a public key that outlives it, within 15 minutes of the sign-in and not later', async () => {
    const { userId } = await core.actor();
    const id = newUuid();
    await core.rows(
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       VALUES ($1, $2, 'password', now() - interval '14 minutes', now() + interval '1 day', now() + interval '1 day')`,
      id,
      userId,
    );
    const session: Actor = { userId, credential: { kind: 'session', id, permissions: ['ADMIN'] } };
    await expect(link('of a session', session)).resolves.toMatchObject({ isNew: true });
    expect(await keysOf('of a session')).toEqual([{ user_id: userId, revoked_at: null }]);

    await core.rows(
      "UPDATE sessions SET created_at = now() - interval '15 minutes 1 second' WHERE id = $1",
      id,
    );
    await expect(link('of an old session', session)).rejects.toMatchObject({
      code: 'permission_denied',
      details: [{ code: 'approval_too_old' }],
    });
    expect(await keysOf('of an old session')).toEqual([]);
  });
});

describe('a public key', () => {
  it('that is not linked yet opens an account, and an event is emitted', async () => {
    const { identity, isNew } = await identities.identify(null, {
      ...(await newProof('new')),
      label: 'laptop',
    });
    expect(isNew).toBe(true);
    expect(publicKey.parse(identity)).toEqual(identity);
    expect(identity).toMatchObject({ pubkey: pubkeyOf('new'), label: 'laptop' });
    const [{ user_id } = { user_id: '' }] = await keysOf('new');
    expect(await core.events(String(user_id))).toMatchObject([
      { type: 'public_key.linked', data: { id: identity.id, pubkey: identity.pubkey } },
    ]);
  });

  it('that is already linked returns the existing record, without an event', async () => {
    const first = await link('again');
    const users = await countUsers();
    const second = await link('again');
    expect(second).toEqual({ identity: first.identity, isNew: false });
    expect(await countUsers()).toBe(users);
    const [{ user_id } = { user_id: '' }] = await keysOf('again');
    expect(await core.events(String(user_id))).toHaveLength(1);
  });

  it('opens one account for ten concurrent proofs, and all ten return the same record', async () => {
    const users = await countUsers();
    const proofs = await Promise.all(Array.from({ length: 10 }, () => newProof('at once')));
    const linked = await Promise.all(proofs.map((signedProof) => identities.identify(null, signedProof)));
    expect(linked.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(linked.map(({ identity }) => identity.id)).size).toBe(1);
    expect(await countUsers()).toBe(users + 1);
    expect(await keysOf('at once')).toHaveLength(1);
  });

  it('joins the account of the credential in the request, if the credential has ADMIN', async () => {
    const actor = await core.keyPairActor();
    const users = await countUsers();
    await expect(link('joined', actor)).resolves.toMatchObject({ isNew: true });
    await expect(link('joined', actor)).resolves.toMatchObject({ isNew: false });
    expect(await keysOf('joined')).toMatchObject([{ user_id: actor.userId }]);
    expect(await countUsers()).toBe(users);
    const trader = await core.actor('READ', 'TRADE', 'WITHDRAW');
    await expect(link('refused', trader)).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await keysOf('refused')).toEqual([]);
  });

  it('does not join the account of a credential that is revoked while the request is in flight', async () => {
    const { identity } = await link('thief');
    const thief = await core.row('SELECT id, user_id FROM public_keys WHERE pubkey = $1', identity.pubkey);
    const credential = { kind: 'public_key', id: String(thief.id), permissions: ['ADMIN'] } as const;
    const revokedCaller: Actor = { userId: String(thief.user_id), credential };
    await revoke('thief');
    await expect(link('accomplice', revokedCaller)).rejects.toMatchObject({ code: 'unknown_public_key' });
    expect(await keysOf('accomplice')).toEqual([]);
  });

  it('of another account is rejected, even in concurrent requests', async () => {
    await link('taken');
    const taken = { code: 'already_exists', details: [{ field: 'pubkey' }] };
    await expect(link('taken', await core.keyPairActor())).rejects.toMatchObject(taken);
    const actors = await Promise.all(Array.from({ length: 6 }, () => core.keyPairActor()));
    const outcomes = await Promise.allSettled(actors.map((actor) => link('contested', actor)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(taken);
    }
    expect(await keysOf('contested')).toHaveLength(1);
  });

  it('that was revoked can be linked again, to any account, as a new record', async () => {
    const first = await link('moved');
    await revoke('moved');
    const actor = await core.keyPairActor();
    const second = await link('moved', actor);
    expect(second).toMatchObject({ isNew: true });
    expect(second.identity.id).not.toBe(first.identity.id);
    await revoke('moved');
    await expect(link('moved')).resolves.toMatchObject({ isNew: true });
    expect((await keysOf('moved')).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);
  });

  it.each([
    ['expires', "expires_at = '2100-01-01'", 'expires_at'],
    ['has an allow-list', "ip_allowlist = '{203.0.113.9}'", 'ip_allowlist'],
  ])('is not linked by an API key that %s', async (limit, assignment, field) => {
    const { userId } = await core.actor();
    const id = newUuid();
    await core.rows(
      `INSERT INTO api_keys (id, user_id, name, prefix, last_four, permissions, ip_allowlist, hash)
       VALUES ($1, $2, 'k', 'svc_test_', 'last', '{ADMIN}', '{}', $3)`,
      id,
      userId,
      Buffer.from(id),
    );
    const caller: Actor = { userId, credential: { kind: 'api_key', id, permissions: ['ADMIN'] } };
    await expect(link(`before ${limit}`, caller)).resolves.toMatchObject({ isNew: true });
    await core.rows(`UPDATE api_keys SET ${assignment} WHERE id = $1`, id);
    await expect(link(`after ${limit}`, caller)).rejects.toMatchObject({
      code: 'permission_denied',
      details: [{ field, code: 'beyond_parent' }],
    });
    expect(await keysOf(`after ${limit}`)).toEqual([]);
    // A key that is already linked gives its holder nothing new.
    await expect(link(`before ${limit}`, caller)).resolves.toMatchObject({ isNew: false });
  });

  it('is rejected if the user has 20 public keys, even concurrently, until one is revoked', async () => {
    const actor = await core.keyPairActor();
    const labels = Array.from({ length: 24 }, (_, i) => `key ${i} of 24`);
    const outcomes = await Promise.allSettled(labels.map((label) => link(label, actor)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 20 }] });
    }
    const linked = labels.find((_, i) => outcomes[i]!.status === 'fulfilled')!;
    await expect(link(linked, actor)).resolves.toMatchObject({ isNew: false });
    await revoke(linked);
    await expect(link('one more', actor)).resolves.toMatchObject({ isNew: true });
    await expect(link('too many', actor)).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('stays linked if the user already had more than 20', async () => {
    const actor = await core.keyPairActor();
    for (let i = 0; i < 21; i++) await core.keyPairActor(actor.userId);
    await expect(link('beyond', actor)).rejects.toMatchObject({ code: 'limit_reached' });
    const count = await core.row(
      'SELECT count(*)::int FROM public_keys WHERE user_id = $1 AND revoked_at IS NULL',
      actor.userId,
    );
    expect(count).toEqual({ count: 22 });
  });

  it('opens no account if registration is closed, but can join an existing account', async () => {
    const users = await countUsers();
    await expect(closedIdentities.identify(null, await newProof('outsider'))).rejects.toMatchObject({
      code: 'permission_denied',
    });
    expect(await countUsers()).toBe(users);
    expect(await keysOf('outsider')).toEqual([]);
    const actor = await core.keyPairActor();
    await expect(closedIdentities.identify(actor, await newProof('outsider'))).resolves.toMatchObject({
      isNew: true,
    });
    await expect(closedIdentities.identify(null, await newProof('outsider'))).resolves.toMatchObject({
      isNew: false,
    });
  });

  it.each([
    ['not on the curve', `02${'0'.repeat(63)}5`],
    ['with a coordinate beyond the field', `02${'f'.repeat(64)}`],
    ['with an invalid prefix', pubkeyOf('prefix').replace(/^../, '04')],
    ['of zeros', '00'.repeat(33)],
  ])('%s is rejected', async (_case, pubkey) => {
    const signedProof = { ...(await newProof('off curve')), pubkey };
    await expect(identities.identify(null, signedProof)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'pubkey', code: 'invalid' }],
    });
  });
});

describe('me', () => {
  it('returns the account and the credential of the caller', async () => {
    const actor = await core.actor('READ');
    const profile = await identities.me(actor);
    expect(me.parse(profile)).toEqual(profile);
    expect(profile).toMatchObject({
      email_verified: false,
      world: 'test',
      credential: { kind: 'api_key', permissions: ['READ'] },
    });
  });
});

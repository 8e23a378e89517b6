import { BACKGROUND_HEADER, browserSession } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { publicKeyOf } from '@trading-automation/signed-request';
import { CredentialLookup, CredentialWatch, LastUsedRecorder, readParentRights } from '../access/index.js';
import type { Actor } from '../operations/index.js';
import { ADDRESS, SessionEnvironment } from './testing/session-environment.js';

let environment: SessionEnvironment;
beforeAll(async () => {
  environment = await SessionEnvironment.open();
});
afterAll(() => environment.close());

let count = 0;
/** Returns a label that no other test uses. */
const newLabel = () => `session ${count++}`;
const ended = (state: string) => ({
  code: 'unknown_public_key',
  details: [{ code: 'session_ended', state }],
});
const parentOf = (actor: Actor) =>
  environment.core.platform.database.transaction((tx) => readParentRights(tx, actor));

/** Returns a long-lived request of the label's session. */
const streamOf = async (label: string) => ({
  actor: await environment.actorOf(label),
  incoming: environment.incoming(label),
  access: 'READ' as const,
});

/** Opens a session and returns its label and record. */
async function openSession(actor?: Actor) {
  const label = newLabel();
  const approver = actor ?? (await environment.apiKey());
  return { label, approver, record: await environment.session(label, approver) };
}

describe('a new session', () => {
  it('has the permissions of the credential that opened it, for at most 12 hours', async () => {
    const { label, approver, record } = await openSession(await environment.apiKey(['READ', 'TRADE']));
    expect(browserSession.parse(record)).toEqual(record);
    expect(record).toMatchObject({
      permissions: ['READ', 'TRADE'],
      address: ADDRESS,
      client_name: label,
      approved_by: { kind: 'api_key' },
    });
    expect(Date.parse(record.expires_at) - Date.parse(record.approved_at)).toBe(12 * 3_600_000);
    expect(Date.parse(record.idle_at) - Date.parse(record.last_used_at)).toBe(30 * 60_000);
    const { actor } = await environment.signIn(label);
    expect(actor).toMatchObject({
      userId: approver.userId,
      credential: { kind: 'browser_session', permissions: ['READ', 'TRADE'] },
    });
  });

  it('expires with the credential that opened it, and works only from its addresses', async () => {
    const set = "expires_at = now() + interval '1 hour', ip_allowlist = '{192.0.2.0/24}'";
    const { label, record } = await openSession(await environment.apiKey(['READ'], set));
    expect(Date.parse(record.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    await environment.signIn(label);
    await expect(environment.signIn(label, { address: '198.51.100.1' })).rejects.toMatchObject({
      code: 'ip_not_allowed',
    });
  });

  it('needs a key pair of its own', async () => {
    const { label, approver } = await openSession();
    await expect(environment.session(label, approver)).rejects.toMatchObject({ code: 'already_exists' });
    const linked = newLabel();
    await environment.identities.identify(null, await environment.proof(linked));
    await expect(environment.session(linked, approver)).rejects.toMatchObject({ code: 'already_exists' });
    for (const actor of [null, approver]) {
      const link = environment.identities.identify(actor, await environment.proof(label));
      await expect(link).rejects.toMatchObject({ code: 'already_exists', details: [{ field: 'pubkey' }] });
    }
  });

  it('needs a signature of its challenge, which can be used once', async () => {
    const approver = await environment.apiKey();
    const proof = await environment.proof(newLabel());
    const other = await environment.proof(newLabel());
    const create = (input: typeof proof) =>
      environment.sessions.create(approver, { client_name: 'browser', ...input }, ADDRESS);
    await expect(create({ ...proof, signature: other.signature })).rejects.toMatchObject({
      code: 'invalid_signature',
    });
    await create(proof);
    await expect(create(proof)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'challenge' }],
    });
  });

  it('is refused if the user has 20 open sessions; ended ones do not count', async () => {
    const approver = await environment.apiKey();
    const labels: string[] = [];
    for (let i = 0; i < 20; i++) labels.push((await openSession(approver)).label);
    await expect(openSession(approver)).rejects.toMatchObject({
      code: 'limit_reached',
      details: [{ limit: 20 }],
    });
    await environment.change(labels[0]!, "last_used_at = now() - interval '31 minutes'");
    await openSession(approver);
  });
});

const ENDS = [
  ['REVOKED', 'revoked_at = now()'],
  ['EXPIRED', "approved_at = now() - interval '13 hours', expires_at = now() - interval '1 hour'"],
  ['IDLE', "last_used_at = now() - interval '1801 seconds'"],
] as const;

describe('a session ends', () => {
  it.each(ENDS)('with the state %s', async (state, set) => {
    const { label } = await openSession();
    await environment.change(label, set);
    await expect(environment.signIn(label)).rejects.toMatchObject(ended(state));
  });

  it('also in a process that has just read it, if it may end soon', async () => {
    const lookup = new CredentialLookup(environment.core.platform);
    const { label } = await openSession();
    const find = () => lookup.byPublicKey(publicKeyOf(environment.privateKey(label)));
    await environment.change(label, "last_used_at = now() - interval '1750 seconds'");
    expect((await find())?.ended).toBeUndefined();
    await environment.change(label, "last_used_at = now() - interval '1801 seconds'");
    expect((await find())?.ended).toBe('IDLE');
  });

  it.each(ENDS)('with its streams, and opens no other: %s', async (_state, set) => {
    const watch = new CredentialWatch(environment.core.platform, 10);
    try {
      const [{ label }, unrelated] = [await openSession(), await openSession()];
      const [request, unrelatedRequest] = [await streamOf(label), await streamOf(unrelated.label)];
      let unrelatedHasEnded = false;
      await watch.watch(unrelatedRequest, () => {
        unrelatedHasEnded = true;
      });
      let end = () => {};
      const isOver = new Promise<void>((resolve) => {
        end = resolve;
      });
      await watch.watch(request, end);
      await environment.change(label, set);
      await expect(watch.watch(request, () => undefined)).rejects.toMatchObject({
        code: 'unknown_public_key',
      });
      await isOver;
      expect(unrelatedHasEnded).toBe(false);
    } finally {
      watch.stop();
    }
  });

  it.each([
    ['an API key is revoked', 'api_keys', 'revoked_at = now()'],
    ['an API key gets another value', 'api_keys', "hash = sha256('other')"],
    ['a public key is revoked', 'public_keys', 'revoked_at = now()'],
  ])('when the credential that approved it ends: %s', async (_case, table, set) => {
    const approver =
      table === 'api_keys' ? await environment.apiKey() : await environment.core.keyPairActor();
    const { label } = await openSession(approver);
    const unrelated = await openSession();
    await environment.core.rows(`UPDATE ${table} SET ${set} WHERE id = $1`, approver.credential.id);
    await expect(environment.signIn(label)).rejects.toMatchObject(ended('REVOKED'));
    await environment.signIn(unrelated.label);
  });
});

describe('the idle limit', () => {
  it('is extended by a request that a user caused', async () => {
    const { label } = await openSession();
    await environment.change(label, "last_used_at = now() - interval '29 minutes'");
    await environment.signIn(label);
    await eventually(() => lastUsedOf(label));
  });

  it('is not extended after the session has ended', async () => {
    const { label, record } = await openSession();
    const actor = await environment.actorOf(label);
    await environment.change(label, "last_used_at = now() - interval '31 minutes'");
    new LastUsedRecorder(environment.core.platform).note({
      ...actor.credential,
      userId: actor.userId,
    } as never);
    const other = await openSession();
    await environment.change(other.label, "last_used_at = now() - interval '20 minutes'");
    await environment.signIn(other.label);
    await eventually(() => lastUsedOf(other.label));
    expect(await lastUsedOf(record.client_name)).toBe(false);
  });

  const lastUsedOf = async (label: string) =>
    (
      await environment.core.rows(
        "SELECT last_used_at > now() - interval '5 minutes' AS is_used FROM browser_sessions WHERE client_name = $1",
        label,
      )
    )[0]!.is_used;

  it.each([
    ['a request that no user caused', { headers: [BACKGROUND_HEADER, '1'] }],
    ['a socket that connects', { method: 'CONNECT' }],
  ])('is not extended by %s', async (_case, request) => {
    const { label } = await openSession();
    await environment.change(label, "last_used_at = now() - interval '20 minutes'");
    await environment.signIn(label, request);
    // A write for another session, which began later, has finished.
    const other = await openSession();
    await environment.change(other.label, "last_used_at = now() - interval '20 minutes'");
    await environment.signIn(other.label);
    await eventually(() => lastUsedOf(other.label));
    expect(await lastUsedOf(label)).toBe(false);
  });
});

describe('sessions', () => {
  it('are listed while they are open', async () => {
    const approver = await environment.apiKey();
    const [first, second, gone] = [
      await openSession(approver),
      await openSession(approver),
      await openSession(approver),
    ];
    await environment.change(gone.label, 'revoked_at = now()');
    await openSession();
    const query = { limit: 20, include: [], sort: 'created_at', order: 'asc' };
    const { items } = await environment.sessions.list(approver, query as never);
    expect(items.map(({ id }) => id)).toEqual([first.record.id, second.record.id]);
  });

  it('are ended one or all by ADMIN or by a session, and not by another user', async () => {
    const approver = await environment.apiKey();
    const [first, second, third] = [
      await openSession(await environment.apiKey(['READ'], undefined, approver.userId)),
      await openSession(approver),
      await openSession(approver),
    ];
    const stranger = await openSession();
    const { sessions } = environment;
    const reader = await environment.apiKey(['READ'], undefined, approver.userId);
    for (const end of [() => sessions.revoke(reader, first.record.id), () => sessions.revokeAll(reader)])
      await expect(end()).rejects.toMatchObject({ code: 'permission_denied' });
    const strange = await environment.actorOf(stranger.label);
    await expect(sessions.revoke(strange, first.record.id)).rejects.toMatchObject({ code: 'not_found' });
    const acting = await environment.actorOf(first.label);
    expect(await sessions.revoke(acting, second.record.id)).toEqual({ id: second.record.id, deleted: true });
    await expect(environment.signIn(second.label)).rejects.toMatchObject(ended('REVOKED'));
    await expect(sessions.revoke(acting, second.record.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await sessions.revokeAll(acting)).toEqual({ revoked: 2 });
    for (const { label } of [first, third])
      await expect(environment.signIn(label)).rejects.toMatchObject(ended('REVOKED'));
    await environment.signIn(stranger.label);
  });
});

describe('what a session creates', () => {
  it('has at most the rights of its approver, within 15 minutes of the approval', async () => {
    const set = "expires_at = now() + interval '1 hour', ip_allowlist = '{192.0.2.0/24}'";
    const { label, approver } = await openSession(await environment.apiKey(['ADMIN'], set));
    const actor = await environment.actorOf(label);
    expect(await parentOf(actor)).toEqual(await parentOf(approver));
    const ofPair = await openSession(await environment.core.keyPairActor());
    expect(await parentOf(await environment.actorOf(ofPair.label))).toEqual({
      permissions: ['ADMIN'],
      expiresAt: null,
      ipAllowlist: [],
    });
    await environment.change(label, "approved_at = now() - interval '16 minutes'");
    await expect(parentOf(actor)).rejects.toMatchObject({
      code: 'permission_denied',
      details: [{ code: 'approval_too_old' }],
    });
  });

  it.each(ENDS)('is nothing once the session has ended: %s', async (_state, set) => {
    const { label } = await openSession();
    const actor = await environment.actorOf(label);
    await environment.change(label, set);
    for (const create of [() => parentOf(actor), () => openSession(actor)])
      await expect(create()).rejects.toMatchObject({ code: 'unknown_public_key' });
  });

  it('is, as a further session, approved by the same credential at the same time', async () => {
    const first = await openSession();
    await environment.change(
      first.label,
      "approved_at = now() - interval '10 minutes', expires_at = now() + interval '11 hours'",
    );
    const [before] = await environment.core.rows(
      'SELECT approved_at, expires_at FROM browser_sessions WHERE client_name = $1',
      first.label,
    );
    const { record } = await openSession(await environment.actorOf(first.label));
    expect(record.approved_by).toEqual(first.record.approved_by);
    expect(record.approved_at).toBe((before!.approved_at as Date).toISOString());
    expect(record.expires_at).toBe((before!.expires_at as Date).toISOString());
  });
});

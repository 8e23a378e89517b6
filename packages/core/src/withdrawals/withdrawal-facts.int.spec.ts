import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { readRequestFacts } from './withdrawal-facts.queries.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

const ISSUED = new Date('2026-01-02T03:04:05.678Z');
const LATER = new Date('2026-01-03T00:00:00.000Z');

/** Returns since when the holder of a credential can use it, as the check of a withdrawal reads it. */
const issuedAt = async (userId: string, kind: Actor['credential']['kind'], id: string) => {
  const actor: Actor = { userId, credential: { kind, id, permissions: ['ADMIN'] } };
  const request = { amount: '1', walletAddress: '0x' };
  const facts = await core.platform.database.transaction((tx) => readRequestFacts(tx, actor, request));
  return facts.credentialIssuedAt;
};

describe('the age of a credential that requests a withdrawal', () => {
  it('begins when a public key was linked', async () => {
    const { userId, credential } = await core.keyPairActor();
    await core.rows('UPDATE public_keys SET created_at = $2 WHERE id = $1', credential.id, ISSUED);
    expect(await issuedAt(userId, 'public_key', credential.id)).toEqual(ISSUED);
  });

  it('begins when an API key was created, or was last rotated', async () => {
    const { userId } = await core.actor();
    const id = newUuid();
    await core.rows(
      `INSERT INTO api_keys (id, user_id, name, prefix, last_four, permissions, ip_allowlist, hash, created_at)
       VALUES ($1, $2, 'a key', 'svc_test_', 'last', '{ADMIN}', '{}', $3, $4)`,
      id,
      userId,
      Buffer.from(id),
      ISSUED,
    );
    expect(await issuedAt(userId, 'api_key', id)).toEqual(ISSUED);
    await core.rows('UPDATE api_keys SET rotated_at = $2 WHERE id = $1', id, LATER);
    expect(await issuedAt(userId, 'api_key', id)).toEqual(LATER);
  });

  it('is that of the approver for a browser session', async () => {
    const { userId, credential } = await core.keyPairActor();
    const id = newUuid();
    await core.rows(
      `INSERT INTO browser_sessions (id, user_id, pubkey, client_name, address, permissions, ip_allowlist, approver_kind,
         approver_id, approver_issued_at, approved_at, last_used_at, expires_at)
       VALUES ($1, $2, $3, 'dashboard', '192.0.2.1', '{ADMIN}', '{}', 'public_key', $4, $5, now(), now(),
         now() + interval '1 hour')`,
      id,
      userId,
      id,
      credential.id,
      ISSUED,
    );
    expect(await issuedAt(userId, 'browser_session', id)).toEqual(ISSUED);
  });

  it('is unknown if the credential does not exist', async () => {
    const { userId } = await core.actor();
    expect(await issuedAt(userId, 'browser_session', newUuid())).toBeNull();
  });
});

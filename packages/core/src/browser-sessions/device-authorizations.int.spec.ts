import { type DeviceAuthorizationCreate, USER_CODE_LETTERS } from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import { ADDRESS, SessionEnvironment } from './testing/session-environment.js';
import { newUserCode, parseUserCode } from './user-code.js';

let environment: SessionEnvironment;
beforeAll(async () => {
  environment = await SessionEnvironment.open();
});
afterAll(() => environment.close());

let count = 0;

/** Starts a sign-in by code of a new key pair. */
async function start(permissions: DeviceAuthorizationCreate['permissions'] = ['READ', 'TRADE']) {
  const label = `device ${count++}`;
  const proof = await environment.proof(label);
  const input = { client_name: label, permissions, ...proof };
  return { label, input, ...(await environment.devices.start(input, ADDRESS, undefined)) };
}
const token = (deviceCode: string) => environment.devices.token({ device_code: deviceCode });
const allowPolling = () => environment.core.rows('UPDATE device_authorizations SET last_polled_at = NULL');
const expire = () =>
  environment.core.rows("UPDATE device_authorizations SET expires_at = now() - interval '1 second'");
const state = (name: string) => ({ code: 'invalid_state', details: [{ state: name }] });

describe('a user code', () => {
  it('has eight of 20 letters, and is read in any case, with or without hyphens and spaces', () => {
    for (let i = 0; i < 200; i++) {
      const code = newUserCode();
      expect(code).toMatch(new RegExp(`^[${USER_CODE_LETTERS}]{4}-[${USER_CODE_LETTERS}]{4}$`));
      for (const input of [code, code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `])
        expect(parseUserCode(input)).toBe(code);
    }
    for (const input of ['', 'BCDF', 'BCDF-GHJ', 'BCDF-GHJKL', 'ABCD-FGHJ', 'BCDF-GHJ1'])
      expect(parseUserCode(input)).toBeNull();
  });
});

describe('a sign-in by code', () => {
  it('opens a session for the key pair of the client once a user approves it', async () => {
    const { label, user_code, device_code, expires_at, interval } = await start();
    const leftMs = Date.parse(expires_at) - Date.now();
    expect([leftMs > 590_000, leftMs <= 600_000, interval]).toEqual([true, true, 5]);
    const approver = await environment.apiKey();
    await expect(token(device_code)).rejects.toMatchObject(state('PENDING'));
    expect(await environment.devices.get(approver, user_code.toLowerCase())).toMatchObject({
      user_code,
      client_name: label,
      address: ADDRESS,
      permissions: ['READ', 'TRADE'],
      status: 'PENDING',
    });
    await expect(environment.signIn(label)).rejects.toMatchObject({ code: 'unknown_public_key' });
    const session = await environment.devices.approve(approver, { user_code });
    expect(session).toMatchObject({ client_name: label, address: ADDRESS, approved_by: { kind: 'api_key' } });
    await allowPolling();
    const granted = await token(device_code);
    expect(granted).toEqual({
      public_key_id: session.id,
      user_id: session.user_id,
      permissions: ['READ', 'TRADE'],
      expires_at: session.expires_at,
    });
    await allowPolling();
    expect(await token(device_code)).toEqual(granted);
    expect((await environment.actorOf(label)).userId).toBe(approver.userId);
    await expect(environment.devices.approve(approver, { user_code })).rejects.toMatchObject(
      state('APPROVED'),
    );
  });

  it('grants fewer permissions, but none that was not requested', async () => {
    const approver = await environment.apiKey();
    const { user_code, label } = await start();
    await expect(
      environment.devices.approve(approver, { user_code, permissions: ['READ', 'ADMIN'] }),
    ).rejects.toMatchObject({ code: 'validation_failed', details: [{ field: 'permissions' }] });
    await environment.devices.approve(approver, { user_code, permissions: ['READ'] });
    expect((await environment.actorOf(label)).credential.permissions).toEqual(['READ']);
  });

  it('is refused by a user, and stays refused', async () => {
    const approver = await environment.apiKey();
    const { user_code, device_code, label } = await start();
    expect(await environment.devices.deny(approver, { user_code })).toMatchObject({ status: 'DENIED' });
    await expect(environment.devices.approve(approver, { user_code })).rejects.toMatchObject(state('DENIED'));
    await expect(token(device_code)).rejects.toMatchObject(state('DENIED'));
    await expect(environment.signIn(label)).rejects.toMatchObject({ code: 'unknown_public_key' });
  });

  it('expires after ten minutes', async () => {
    const approver = await environment.apiKey();
    const { user_code, device_code } = await start();
    await expire();
    expect(await environment.devices.get(approver, user_code)).toMatchObject({ status: 'EXPIRED' });
    await expect(environment.devices.approve(approver, { user_code })).rejects.toMatchObject(
      state('EXPIRED'),
    );
    await expect(token(device_code)).rejects.toMatchObject(state('EXPIRED'));
  });

  it('is approved by one of two users who approve it at the same time', async () => {
    const { user_code } = await start();
    const approvers = [await environment.apiKey(), await environment.apiKey()];
    const outcomes = await Promise.allSettled(
      approvers.map((approver) => environment.devices.approve(approver, { user_code })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('needs a key pair that is not in use', async () => {
    const { input, user_code } = await start();
    await environment.devices.approve(await environment.apiKey(), { user_code });
    const again = { ...input, ...(await environment.proof(input.client_name)) };
    await expect(environment.devices.start(again, ADDRESS, undefined)).rejects.toMatchObject({
      code: 'already_exists',
    });
  });

  it('needs ADMIN to be read, approved and refused', async () => {
    const { user_code } = await start();
    const trader = await environment.apiKey(['READ', 'TRADE', 'WITHDRAW']);
    const { devices } = environment;
    for (const call of [
      () => devices.get(trader, user_code),
      () => devices.approve(trader, { user_code }),
      () => devices.deny(trader, { user_code }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'permission_denied' });
  });
});

describe('the result of a sign-in', () => {
  it('is read at most every five seconds', async () => {
    const { device_code } = await start();
    await expect(token(device_code)).rejects.toMatchObject(state('PENDING'));
    await expect(token(device_code)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 });
    await environment.core.rows(
      "UPDATE device_authorizations SET last_polled_at = last_polled_at - interval '5 seconds'",
    );
    await expect(token(device_code)).rejects.toMatchObject(state('PENDING'));
  });

  it('does not exist for an unknown code', async () => {
    await expect(token('unknown')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('codes that no sign-in shows', () => {
  const enter = (actor: Actor, code: string) => environment.devices.get(actor, code);

  it('are limited to ten an hour for a user, whatever they call', async () => {
    const [guesser, other] = [await environment.apiKey(), await environment.apiKey()];
    const { user_code } = await start();
    const { devices } = environment;
    for (let i = 0; i < 10; i++) {
      const call = [
        () => enter(guesser, newUserCode()),
        () => devices.approve(guesser, { user_code: 'no code' }),
        () => devices.deny(guesser, { user_code: newUserCode() }),
      ][i % 3]!;
      expect(await enter(guesser, user_code)).toMatchObject({ status: 'PENDING' });
      await expect(call()).rejects.toMatchObject({ code: 'not_found', details: [{ field: 'user_code' }] });
    }
    for (const call of [
      () => enter(guesser, user_code),
      () => devices.approve(guesser, { user_code }),
      () => devices.deny(guesser, { user_code }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(enter(other, user_code)).resolves.toMatchObject({ status: 'PENDING' });
    await environment.core.rows(
      "UPDATE unknown_user_codes SET entered_at = entered_at - interval '61 minutes'",
    );
    expect(await enter(guesser, user_code)).toMatchObject({ status: 'PENDING' });
  });
});

it('both codes are stored as hashes', async () => {
  const { user_code, device_code } = await start();
  const rows = await environment.core.rows(
    'SELECT device_authorizations::text AS row FROM device_authorizations',
  );
  const stored = JSON.stringify(rows);
  for (const code of [user_code, user_code.replace('-', ''), device_code]) {
    expect(stored).not.toContain(code);
    // As the bytes of the code are shown.
    expect(stored).not.toContain(Buffer.from(code).toString('hex'));
  }
});

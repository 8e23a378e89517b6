import { createHash } from 'node:crypto';
import {
  decodeId,
  encodeId,
  withdrawalAddressCreate,
  withdrawalAddressOperations,
  withdrawalAddress as withdrawalAddressSchema,
} from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { EmailVerificationService } from '../../access/index.js';
import { Ledger } from '../../ledger/index.js';
import { type Actor, querySchemaOf } from '../../operations/index.js';
import { CoreUnderTest, OPEN_WITHDRAWAL_POLICY } from '../../testing/index.js';
import type { WithdrawalPolicy } from '../withdrawal.rules.js';
import { WithdrawalsService } from '../withdrawals.service.js';
import { WithdrawalAddressesService } from './withdrawal-addresses.service.js';

const LIVE = { ...OPEN_WITHDRAWAL_POLICY, world: 'live', holdHours: 24, dailyLimit: '100' } as const;
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const addressOf = (label: string) => `0x${createHash('sha256').update(label).digest('hex').slice(0, 40)}`;
const publicUrl = () => 'https://api.example';

let core: CoreUnderTest;
let ledger: Ledger;
let live: ReturnType<typeof servicesFor>;
let test: ReturnType<typeof servicesFor>;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  ledger = new Ledger(core.platform);
  live = servicesFor(LIVE);
  test = servicesFor(OPEN_WITHDRAWAL_POLICY);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await openUser();
});

function servicesFor(policy: WithdrawalPolicy) {
  const { platform, lists, commands } = core;
  return {
    addresses: new WithdrawalAddressesService({ platform, lists, commands, policy, publicUrl }),
    withdrawals: new WithdrawalsService({ platform, lists, commands, ledger, fee: '0', policy }),
  };
}

/** Opens the account of a user with a verified e-mail address, a public key of two days ago and 1,000 tokens. */
async function openUser(): Promise<Actor> {
  const caller = await core.keyPairActor();
  await core.rows(
    "UPDATE users SET email = id || '@example.com', email_verified_at = now() WHERE id = $1",
    caller.userId,
  );
  await core.rows(
    "UPDATE public_keys SET created_at = now() - interval '2 days' WHERE id = $1",
    caller.credential.id,
  );
  await inTransaction(core.platform.database, (tx) =>
    ledger.post(tx, {
      fact: 'reward.claimed',
      subjectId: newUuid(),
      from: { kind: 'issuance' },
      to: { kind: 'available', userId: caller.userId },
      amount: '1000',
    }),
  );
  return caller;
}
const add = (address = addressOf('wallet'), services = live, more: Record<string, unknown> = {}) =>
  services.addresses.create(actor, withdrawalAddressCreate.parse({ address, ...more }));
const withdraw = (wallet_address = addressOf('wallet'), amount = '10', services = live, caller = actor) =>
  services.withdrawals.create(caller, { amount, wallet_address });
const mailsOf = (userId = actor.userId) =>
  core.rows('SELECT recipient, subject, body FROM mails WHERE user_id = $1 ORDER BY created_at', userId);
async function newestCode(): Promise<string> {
  const body = String((await mailsOf()).at(-1)?.body);
  return /\?code=([\w-]+)/.exec(body)![1]!;
}
const endHold = () =>
  core.rows('UPDATE withdrawal_addresses SET usable_at = now() WHERE user_id = $1', actor.userId);
/** Adds an address, confirms it and ends its hold. */
async function addActive(label = 'wallet'): Promise<string> {
  const { id } = await add(addressOf(label));
  await live.addresses.confirm(await newestCode());
  await endHold();
  return id;
}
const detail = (code: string, details: Record<string, unknown>) => ({ code, details: [details] });

describe('a new address in the live world', () => {
  it('is PENDING until its mailed code is confirmed, HELD for 24 hours, then ACTIVE', async () => {
    const added = await add(CHECKSUMMED, live, { label: 'Ledger' });
    expect(withdrawalAddressSchema.parse(added)).toEqual(added);
    expect(added).toMatchObject({ address: CHECKSUMMED, label: 'Ledger', status: 'PENDING' });
    expect(added.usable_at).toBeUndefined();
    const [mail] = await mailsOf();
    expect(mail).toMatchObject({
      recipient: `${actor.userId}@example.com`,
      body: expect.stringContaining(CHECKSUMMED),
    });
    const code = await newestCode();
    expect(await live.addresses.byCode(code)).toEqual(added);

    const confirmed = await live.addresses.confirm(code);
    expect(confirmed.status).toBe('HELD');
    const holdMs = Date.parse(confirmed.usable_at!) - Date.now();
    expect(Math.abs(holdMs - 24 * 3_600_000)).toBeLessThan(60_000);
    expect(await live.addresses.confirm(code)).toEqual(confirmed);

    await endHold();
    expect(await live.addresses.get(actor, added.id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('accepts withdrawals only once it is ACTIVE', async () => {
    const refused = detail('validation_failed', { field: 'wallet_address', code: 'address_not_active' });
    await expect(withdraw()).rejects.toMatchObject(refused);
    await add();
    await expect(withdraw()).rejects.toMatchObject(refused);
    await live.addresses.confirm(await newestCode());
    await expect(withdraw()).rejects.toMatchObject(refused);
    await endHold();
    await expect(withdraw()).resolves.toMatchObject({ status: 'PENDING' });
    await expect(withdraw(addressOf('other'))).rejects.toMatchObject(refused);
  });

  it('of another user does not count', async () => {
    await addActive();
    const other = await openUser();
    await expect(withdraw(addressOf('wallet'), '10', live, other)).rejects.toMatchObject({
      details: [{ code: 'address_not_active' }],
    });
  });

  it('is refused without a verified e-mail address', async () => {
    await core.rows('UPDATE users SET email_verified_at = NULL WHERE id = $1', actor.userId);
    await expect(add()).rejects.toMatchObject(detail('invalid_state', { code: 'email_not_verified' }));
    expect((await listed()).items).toEqual([]);
  });
});

const listed = () =>
  live.addresses.list(actor, querySchemaOf(withdrawalAddressOperations.list).parse({}) as never);

describe('the code of an address', () => {
  it('is stored as a hash, and is unknown with any other value', async () => {
    await add();
    const code = await newestCode();
    const rows = await core.rows('SELECT a::text AS row FROM withdrawal_addresses a');
    expect(JSON.stringify(rows)).not.toContain(code);
    for (const wrong of ['', code.slice(1), `${code}A`, code.toLowerCase(), 'x'.repeat(43)])
      await expect(live.addresses.confirm(wrong)).rejects.toMatchObject({ code: 'not_found' });
    expect((await listed()).items).toMatchObject([{ status: 'PENDING' }]);
  });

  it('expires after 24 hours, but can be repeated once it has confirmed the address', async () => {
    await add();
    const code = await newestCode();
    const expire = () =>
      core.rows(
        'UPDATE withdrawal_addresses SET code_expires_at = now() WHERE user_id = $1 AND code_expires_at > now()',
        actor.userId,
      );
    const concurrent = await Promise.all(Array.from({ length: 10 }, () => live.addresses.confirm(code)));
    expect(new Set(concurrent.map(({ usable_at }) => usable_at)).size).toBe(1);
    await expire();
    await expect(live.addresses.confirm(code)).resolves.toEqual(concurrent[0]);

    await add(addressOf('late'));
    const late = await newestCode();
    await expire();
    await expect(live.addresses.byCode(late)).rejects.toMatchObject({ code: 'not_found' });
    await expect(live.addresses.confirm(late)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the address book', () => {
  it('holds each address once, in whatever case, even if it is added concurrently', async () => {
    const outcomes = await Promise.allSettled([
      add(CHECKSUMMED),
      add(CHECKSUMMED.toLowerCase()),
      add(CHECKSUMMED),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'already_exists' });
    expect(await mailsOf()).toHaveLength(1);
  });

  it('has at most 20 addresses, even if they are added concurrently', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, (_, i) => add(addressOf(`one of ${i}`))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject(detail('limit_reached', { limit: 20 }));
  });

  it('mails at most 40 links a day, even if addresses are deleted in between', async () => {
    for (let i = 0; i < 40; i++) await live.addresses.delete(actor, (await add()).id);
    await expect(add()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await mailsOf()).toHaveLength(40);
  });

  it.each([
    ['bad_checksum', CHECKSUMMED.replace('5a', '5A')],
    ['zero_address', `0x${'0'.repeat(40)}`],
  ])('refuses an address with the code %s', async (code, address) => {
    await expect(add(address)).rejects.toMatchObject(detail('validation_failed', { field: 'address', code }));
  });

  it('needs WITHDRAW, and shows only own addresses', async () => {
    const { id } = await add();
    const reader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['READ', 'TRADE'] } };
    await expect(live.addresses.get(reader, id)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(live.addresses.delete(reader, id)).rejects.toMatchObject({ code: 'permission_denied' });
    const other = await openUser();
    for (const publicId of [id, encodeId('wad', newUuid()), 'wad_nonsense']) {
      await expect(live.addresses.get(other, publicId)).rejects.toMatchObject({ code: 'not_found' });
      await expect(live.addresses.delete(other, publicId)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await listed()).items).toMatchObject([{ id }]);
  });

  it('keeps withdrawals to a deleted address PENDING, and accepts no others to it', async () => {
    const id = await addActive();
    const pending = await withdraw();
    expect(await live.addresses.delete(actor, id)).toEqual({ id, deleted: true });
    expect(await live.withdrawals.get(actor, pending.id)).toMatchObject({ status: 'PENDING' });
    await expect(withdraw()).rejects.toMatchObject({ details: [{ code: 'address_not_active' }] });
    await expect(live.withdrawals.cancel(actor, pending.id)).resolves.toMatchObject({ status: 'CANCELLED' });
  });
});

describe('the test world', () => {
  it('accepts withdrawals to every valid address, and holds a confirmed one for no time', async () => {
    await expect(withdraw(addressOf('any'), '10', test)).resolves.toMatchObject({ status: 'PENDING' });
    await add(addressOf('wallet'), test);
    expect(await test.addresses.confirm(await newestCode())).toMatchObject({ status: 'ACTIVE' });
  });

  it('needs no confirmation from a user without an e-mail address', async () => {
    await core.rows('UPDATE users SET email = NULL, email_verified_at = NULL WHERE id = $1', actor.userId);
    expect(await add(addressOf('wallet'), test)).toMatchObject({ status: 'ACTIVE' });
    expect(await mailsOf()).toEqual([]);
  });
});

describe('withdrawals in the live world', () => {
  beforeEach(() => addActive());

  it('together stay within the daily limit, even if they are requested concurrently', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => withdraw(undefined, '30')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject(
          detail('limit_reached', { field: 'amount', limit: '100', remaining: '10' }),
        );
    await expect(withdraw(undefined, '10')).resolves.toBeDefined();
  });

  it('no longer count toward the daily limit once they are cancelled, failed or of another UTC day', async () => {
    const yesterday = "date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 us'";
    for (const assignment of ["status = 'FAILED'", `created_at = ${yesterday}`]) {
      const { id } = await withdraw(undefined, '60');
      await core.rows(`UPDATE withdrawals SET ${assignment} WHERE id = $1`, decodeId('wdr', id));
    }
    const { id } = await withdraw(undefined, '100');
    await expect(withdraw()).rejects.toMatchObject({ code: 'limit_reached' });
    await live.withdrawals.cancel(actor, id);
    await expect(withdraw(undefined, '100')).resolves.toBeDefined();
  });

  it('are refused to a key that was created or rotated less than 24 hours ago, and to a new public key', async () => {
    const tooNew = detail('permission_denied', { code: 'credential_too_new' });
    const fresh = await core.keyPairActor(actor.userId);
    await expect(withdraw(undefined, '10', live, fresh)).rejects.toMatchObject(tooNew);

    const id = newUuid();
    await core.rows(
      `INSERT INTO api_keys (id, user_id, name, prefix, last_four, permissions, ip_allowlist, hash, created_at)
       VALUES ($1, $2, 'old', 'svc_live_', 'last', '{WITHDRAW}', '{}', $3, now() - interval '2 days')`,
      id,
      actor.userId,
      Buffer.from(id),
    );
    const key: Actor = {
      userId: actor.userId,
      credential: { kind: 'api_key', id, permissions: ['WITHDRAW'] },
    };
    await expect(withdraw(undefined, '10', live, key)).resolves.toBeDefined();
    await core.rows('UPDATE api_keys SET hash = $2 WHERE id = $1', id, Buffer.from(newUuid()));
    await expect(withdraw(undefined, '10', live, key)).rejects.toMatchObject(tooNew);
  });

  it('are held for 24 hours after the e-mail address was replaced, of which the former address gets a mail', async () => {
    const { platform, commands } = core;
    const emails = new EmailVerificationService({ platform, commands, publicUrl });
    const email = `new-${actor.userId}@example.com`;
    await emails.update(actor, { email });
    await expect(withdraw()).resolves.toBeDefined();
    await emails.verify(await newestCode());
    await expect(withdraw()).rejects.toMatchObject(
      detail('invalid_state', { code: 'email_recently_changed', state: 'HELD' }),
    );
    expect((await mailsOf()).at(-1)).toMatchObject({
      recipient: `${actor.userId}@example.com`,
      subject: 'Your e-mail address was changed',
    });
    await core.rows(
      "UPDATE users SET email_replaced_at = now() - interval '24 hours' WHERE id = $1",
      actor.userId,
    );
    await expect(withdraw()).resolves.toBeDefined();
  });

  it('are refused with the reason even if the balance would not suffice', async () => {
    await expect(withdraw(addressOf('other'), '5000')).rejects.toMatchObject({
      details: [{ code: 'address_not_active' }],
    });
  });
});

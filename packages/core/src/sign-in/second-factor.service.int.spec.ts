import { inTransaction } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import type { SignInMethod } from './sessions.service.js';
import { fromBase32, referenceTotpCode } from './testing/reference-totp.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

const REFUSED = { code: 'invalid_login' };
const WRONG_CODE = { code: 'validation_failed', details: [{ field: 'code' }] };
const STEP_MS = 30_000;

let under: SignInUnderTest;
let process: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  under = await SignInUnderTest.open();
  process = under.createServices();
});
afterAll(() => under.close());

/** A user whose second factor was just enabled, which used the current time step. */
interface Protected {
  readonly actor: Actor;
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
}

const stepNow = () => Math.floor(under.nowMs / STEP_MS);
const codeOf = ({ secret }: { secret: Buffer }, steps = 0) => referenceTotpCode(secret, stepNow() + steps);
/** A code that is not accepted now. */
function wrongCode({ secret }: { secret: Buffer }): string {
  const good = [-1, 0, 1].map((steps) => referenceTotpCode(secret, stepNow() + steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !good.includes(code))!;
}
async function enabled(): Promise<Protected> {
  const actor = await under.actor();
  const { secret: text } = await process.secondFactor.generate(actor);
  const secret = fromBase32(text);
  const recoveryCodes = await process.secondFactor.enable(actor, codeOf({ secret }));
  under.nowMs += 10 * STEP_MS;
  return { actor, secret, recoveryCodes };
}
const signIn = ({ actor }: Protected, how: SignInMethod = 'password') =>
  inTransaction(process.platform.database, (tx) => process.signIn.complete(tx, actor.userId, how));
async function ticketOf(user: Protected): Promise<string> {
  const signedIn = await signIn(user);
  if (signedIn.kind !== 'ticket') throw new Error('no second factor is asked for');
  return signedIn.ticket;
}
const verify = (ticket: string, code: string) => process.secondFactor.verify(ticket, code);
const forgetTries = () => under.core.rows('DELETE FROM sign_in_attempts');

describe('a secret', () => {
  it('is pending and not required until a code proves it', async () => {
    const actor = await under.actor();
    const { uri, secret } = await process.secondFactor.generate(actor);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(fromBase32(secret)).toHaveLength(20);
    const user = { actor, secret: fromBase32(secret), recoveryCodes: [] };
    expect(await signIn(user)).toMatchObject({ kind: 'tokens' });
    await expect(process.secondFactor.enable(actor, wrongCode(user))).rejects.toMatchObject(WRONG_CODE);
    expect(await signIn(user)).toMatchObject({ kind: 'tokens' });
    await process.secondFactor.enable(actor, codeOf(user));
    expect(await signIn(user)).toMatchObject({ kind: 'ticket' });
  });

  it('names the account by its address, or by its id without one', async () => {
    const actor = await under.actor();
    const label = async () =>
      decodeURIComponent(new URL((await process.secondFactor.generate(actor)).uri).pathname);
    expect(await label()).toMatch(/Trading automation:usr_[0-9a-z]{26}$/);
    await under.core.rows("UPDATE users SET email = 'a@example.com' WHERE id = $1", actor.userId);
    expect(await label()).toMatch(/Trading automation:a@example\.com$/);
  });

  it('that is generated again replaces the pending one', async () => {
    const actor = await under.actor();
    const first = fromBase32((await process.secondFactor.generate(actor)).secret);
    const second = fromBase32((await process.secondFactor.generate(actor)).secret);
    expect(first).not.toEqual(second);
    await expect(process.secondFactor.enable(actor, codeOf({ secret: first }))).rejects.toMatchObject(
      WRONG_CODE,
    );
    await expect(process.secondFactor.enable(actor, codeOf({ secret: second }))).resolves.toHaveLength(10);
  });

  it('that is enabled is neither replaced nor enabled again', async () => {
    const user = await enabled();
    await expect(process.secondFactor.generate(user.actor)).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(process.secondFactor.enable(user.actor, codeOf(user))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
  });

  it.each(['', '12345', '1234567', '１２３４５６', '\u0000'])('is not enabled by %j', async (code) => {
    const actor = await under.actor();
    await process.secondFactor.generate(actor);
    await expect(process.secondFactor.enable(actor, code)).rejects.toMatchObject(WRONG_CODE);
  });

  it('that was never generated is not enabled or disabled', async () => {
    const actor = await under.actor();
    await expect(process.secondFactor.enable(actor, '000000')).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(process.secondFactor.disable(actor, '000000')).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  it('needs ADMIN, and a session that has not ended', async () => {
    const lesser = await under.core.actor('READ', 'TRADE', 'WITHDRAW');
    const ended = await under.actor();
    await process.sessions.revoke(ended);
    for (const [actor, code] of [
      [lesser, 'permission_denied'],
      [ended, 'invalid_access_token'],
    ] as const) {
      await expect(process.secondFactor.generate(actor)).rejects.toMatchObject({ code });
      await expect(process.secondFactor.enable(actor, '000000')).rejects.toMatchObject({ code });
      await expect(process.secondFactor.disable(actor, '000000')).rejects.toMatchObject({ code });
    }
  });

  it('opens after the server key was replaced, while the old one is configured', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    const forgotten = under.createServices({ serverKeys: ['new key'] });
    await expect(forgotten.secondFactor.verify(ticket, codeOf(user))).rejects.not.toMatchObject(REFUSED);
    const replaced = under.createServices({ serverKeys: ['new key', 'server key'] });
    await expect(replaced.secondFactor.verify(ticket, codeOf(user))).resolves.toBeDefined();
  });
});

describe('signing in with a second factor', () => {
  it.each(['password', 'google', 'x', 'apple', 'telegram'] as const)(
    'by %s gives a ticket, which gives a session with a code',
    async (how) => {
      const user = await enabled();
      const signedIn = await signIn(user, how);
      if (signedIn.kind !== 'ticket') throw new Error('no second factor is asked for');
      expect(signedIn.ticket).toMatch(/^ticket_[\w-]{43}$/);
      const minutes = (Date.parse(signedIn.expiresAt) - Date.now()) / 60_000;
      expect(minutes).toBeCloseTo(5, 0);
      const { accessToken } = await verify(signedIn.ticket, codeOf(user));
      const { userId, credential } = await process.sessions.verify(accessToken);
      expect(userId).toBe(user.actor.userId);
      expect(await under.core.row('SELECT how FROM sessions WHERE id = $1', credential.id)).toEqual({ how });
    },
  );

  it('with a passkey requires no other, because it is two factors', async () => {
    expect(await signIn(await enabled(), 'passkey')).toMatchObject({ kind: 'tokens' });
  });

  it('accepts a code in groups, as apps show it, one step before and after too', async () => {
    for (const steps of [-1, 0, 1]) {
      const user = await enabled();
      const code = codeOf(user, steps).replace(/^(...)/, '$1 ');
      await expect(verify(await ticketOf(user), code)).resolves.toBeDefined();
    }
  });

  it('rejects a code of two steps before or after', async () => {
    const user = await enabled();
    const near = [-1, 0, 1].map((steps) => codeOf(user, steps));
    for (const code of [codeOf(user, -2), codeOf(user, 2)].filter((each) => !near.includes(each))) {
      await expect(verify(await ticketOf(user), code)).rejects.toMatchObject(REFUSED);
    }
  });

  it('rejects the code that enabled it, in the same step', async () => {
    const actor = await under.actor();
    const secret = fromBase32((await process.secondFactor.generate(actor)).secret);
    const user = {
      actor,
      secret,
      recoveryCodes: await process.secondFactor.enable(actor, codeOf({ secret })),
    };
    await expect(verify(await ticketOf(user), codeOf(user))).rejects.toMatchObject(REFUSED);
    await expect(verify(await ticketOf(user), codeOf(user, -1))).rejects.toMatchObject(REFUSED);
    await expect(verify(await ticketOf(user), codeOf(user, 1))).resolves.toBeDefined();
  });

  it('accepts a code once for ten concurrent tickets', async () => {
    const user = await enabled();
    const tickets = await Promise.all(Array.from({ length: 10 }, () => ticketOf(user)));
    const code = codeOf(user);
    const outcomes = await Promise.allSettled(tickets.map((ticket) => verify(ticket, code)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(REFUSED);
    }
  });
});

describe('a ticket', () => {
  it('is valid for one session', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    await verify(ticket, codeOf(user));
    under.nowMs += STEP_MS * 2;
    await expect(verify(ticket, codeOf(user))).rejects.toMatchObject(REFUSED);
  });

  it('opens one session for two valid concurrent codes', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    const outcomes = await Promise.allSettled([
      verify(ticket, codeOf(user)),
      verify(ticket, user.recoveryCodes[0]!),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(REFUSED);
    }
  });

  it('is valid for five attempts: the sixth is rejected even with the right code', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    for (let n = 0; n < 5; n++) await expect(verify(ticket, wrongCode(user))).rejects.toMatchObject(REFUSED);
    await expect(verify(ticket, codeOf(user))).rejects.toMatchObject(REFUSED);
    await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
  });

  it('accepts the right code at the fifth attempt', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    for (let n = 0; n < 4; n++) await expect(verify(ticket, wrongCode(user))).rejects.toMatchObject(REFUSED);
    await expect(verify(ticket, codeOf(user))).resolves.toBeDefined();
  });

  it('has five attempts, even concurrently', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    const code = wrongCode(user);
    await Promise.allSettled(Array.from({ length: 30 }, () => verify(ticket, code)));
    expect(
      await under.core.row(
        'SELECT max(tries) AS tries FROM sign_in_tickets WHERE user_id = $1',
        user.actor.userId,
      ),
    ).toEqual({
      tries: 5,
    });
    expect(
      await under.core.row('SELECT attempts FROM sign_in_attempts ORDER BY expires_at DESC LIMIT 1'),
    ).toEqual({ attempts: 5 });
  });

  it('is valid for five minutes', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    await under.core.rows(
      "UPDATE sign_in_tickets SET expires_at = expires_at - interval '5 minutes' WHERE user_id = $1",
      user.actor.userId,
    );
    await expect(verify(ticket, codeOf(user))).rejects.toMatchObject(REFUSED);
  });

  it("accepts only its own user's code", async () => {
    const [user, other] = [await enabled(), await enabled()];
    await expect(verify(await ticketOf(user), codeOf(other))).rejects.toMatchObject(REFUSED);
    await expect(verify(await ticketOf(user), other.recoveryCodes[0]!)).rejects.toMatchObject(REFUSED);
  });

  it.each(['', 'ticket_', `ticket_${'A'.repeat(43)}`, `refresh_${'A'.repeat(43)}`, '\u0000'])(
    'is not %j',
    async (ticket) => {
      await expect(verify(ticket, '000000')).rejects.toMatchObject(REFUSED);
    },
  );

  it.each(['', '0', '\u0000', '🙂', 'x'.repeat(10_000), '000000000000'])(
    'rejects the code %j',
    async (code) => {
      await expect(verify(await ticketOf(await enabled()), code)).rejects.toMatchObject(REFUSED);
    },
  );
});

describe('guessing at a second factor', () => {
  it('is blocked after ten attempts over all tickets, even with the right code, for fifteen minutes', async () => {
    const user = await enabled();
    for (let n = 0; n < 10; n++) {
      await expect(verify(await ticketOf(user), wrongCode(user))).rejects.toMatchObject(REFUSED);
    }
    await expect(verify(await ticketOf(user), codeOf(user))).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: expect.any(Number),
    });
    await under.core.rows("UPDATE sign_in_attempts SET expires_at = expires_at - interval '15 minutes'");
    await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
  });

  it('while disabling it counts too', async () => {
    const user = await enabled();
    for (let n = 0; n < 10; n++) {
      await expect(process.secondFactor.disable(user.actor, wrongCode(user))).rejects.toMatchObject(
        WRONG_CODE,
      );
    }
    await expect(process.secondFactor.disable(user.actor, codeOf(user))).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await forgetTries();
    await expect(process.secondFactor.disable(user.actor, codeOf(user))).resolves.toBeUndefined();
  });

  it('is reset by the right code', async () => {
    const user = await enabled();
    for (const steps of [0, 2]) {
      for (let n = 0; n < 9; n++) {
        await expect(verify(await ticketOf(user), wrongCode(user))).rejects.toMatchObject(REFUSED);
      }
      under.nowMs += steps * STEP_MS;
      await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
    }
  });
});

describe('a recovery code', () => {
  it('replaces a code once, however it is typed', async () => {
    const user = await enabled();
    const [code = '', other = ''] = user.recoveryCodes;
    await expect(
      verify(await ticketOf(user), code.toLowerCase().replaceAll('-', ' ')),
    ).resolves.toBeDefined();
    await expect(verify(await ticketOf(user), code)).rejects.toMatchObject(REFUSED);
    await expect(verify(await ticketOf(user), other)).resolves.toBeDefined();
  });

  it('works once for ten concurrent tickets', async () => {
    const user = await enabled();
    const tickets = await Promise.all(Array.from({ length: 10 }, () => ticketOf(user)));
    const outcomes = await Promise.allSettled(
      tickets.map((ticket) => verify(ticket, user.recoveryCodes[0]!)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('disabling', () => {
  it.each(['a code', 'a recovery code'])(
    'accepts %s; afterwards no second factor is required',
    async (kind) => {
      const user = await enabled();
      const ticket = await ticketOf(user);
      await expect(process.secondFactor.disable(user.actor, wrongCode(user))).rejects.toMatchObject(
        WRONG_CODE,
      );
      await process.secondFactor.disable(
        user.actor,
        kind === 'a code' ? codeOf(user) : user.recoveryCodes[3]!,
      );
      expect(await signIn(user)).toMatchObject({ kind: 'tokens' });
      await expect(verify(ticket, user.recoveryCodes[4]!)).rejects.toMatchObject(REFUSED);
      await expect(process.secondFactor.generate(user.actor)).resolves.toBeDefined();
    },
  );

  it('and enabling again leaves no old recovery code or ticket', async () => {
    const user = await enabled();
    const ticket = await ticketOf(user);
    await process.secondFactor.disable(user.actor, codeOf(user));
    const secret = fromBase32((await process.secondFactor.generate(user.actor)).secret);
    const codes = await process.secondFactor.enable(user.actor, codeOf({ secret }));
    await expect(verify(await ticketOf(user), user.recoveryCodes[5]!)).rejects.toMatchObject(REFUSED);
    await expect(verify(ticket, codes[4]!)).rejects.toMatchObject(REFUSED);
    await expect(verify(await ticketOf(user), codes[5]!)).resolves.toBeDefined();
  });
});

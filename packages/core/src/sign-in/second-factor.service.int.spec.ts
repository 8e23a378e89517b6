import { inTransaction } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import type { SignInMethod } from './sessions.service.js';
import { fromBase32, referenceTotpCode } from './testing/reference-totp.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

const LOGIN_REJECTED = { code: 'invalid_login' };
const WRONG_CODE = { code: 'validation_failed', details: [{ field: 'code' }] };
const STEP_MS = 30_000;

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
});
afterAll(() => env.close());

/** A user with an enabled second factor. */
interface ProtectedUser {
  readonly actor: Actor;
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
}

const stepNow = () => Math.floor(env.nowMs / STEP_MS);
/** Returns the app's code of the time step that is `steps` after the current one. */
const codeOf = ({ secret }: { secret: Buffer }, steps = 0) => referenceTotpCode(secret, stepNow() + steps);
/** Returns a code that is not accepted now. */
function wrongCode({ secret }: { secret: Buffer }): string {
  const acceptedCodes = [-1, 0, 1].map((steps) => referenceTotpCode(secret, stepNow() + steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !acceptedCodes.includes(code))!;
}
async function createProtectedUser(): Promise<ProtectedUser> {
  const actor = await env.createActor();
  const { secret: text } = await services.secondFactor.generate(actor);
  const secret = fromBase32(text);
  const recoveryCodes = await services.secondFactor.enable(actor, codeOf({ secret }));
  env.nowMs += 10 * STEP_MS;
  return { actor, secret, recoveryCodes };
}
const signIn = ({ actor }: ProtectedUser, how: SignInMethod = 'password') =>
  inTransaction(services.platform.database, (tx) => services.signIn.complete(tx, actor.userId, how));
async function ticketOf(user: ProtectedUser): Promise<string> {
  const signedIn = await signIn(user);
  if (signedIn.kind !== 'ticket') throw new Error('no second factor is required');
  return signedIn.ticket;
}
const verify = (ticket: string, code: string) => services.secondFactor.verify(ticket, code);
const resetAttempts = () => env.core.rows('DELETE FROM sign_in_attempts');

describe('a secret', () => {
  it('is pending and not required until a code proves that the app has it', async () => {
    const actor = await env.createActor();
    const { uri, secret } = await services.secondFactor.generate(actor);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(fromBase32(secret)).toHaveLength(20);
    const user = { actor, secret: fromBase32(secret), recoveryCodes: [] };
    expect(await signIn(user)).toMatchObject({ kind: 'tokens' });
    await expect(services.secondFactor.enable(actor, wrongCode(user))).rejects.toMatchObject(WRONG_CODE);
    expect(await signIn(user)).toMatchObject({ kind: 'tokens' });
    await services.secondFactor.enable(actor, codeOf(user));
    expect(await signIn(user)).toMatchObject({ kind: 'ticket' });
  });

  it('is labelled with the e-mail address of the account, or with its id if there is no address', async () => {
    const actor = await env.createActor();
    const label = async () =>
      decodeURIComponent(new URL((await services.secondFactor.generate(actor)).uri).pathname);
    expect(await label()).toMatch(/Trading automation:usr_[0-9a-z]{26}$/);
    await env.core.rows("UPDATE users SET email = 'a@example.com' WHERE id = $1", actor.userId);
    expect(await label()).toMatch(/Trading automation:a@example\.com$/);
  });

  it('replaces the pending secret if it is generated again', async () => {
    const actor = await env.createActor();
    const first = fromBase32((await services.secondFactor.generate(actor)).secret);
    const second = fromBase32((await services.secondFactor.generate(actor)).secret);
    expect(first).not.toEqual(second);
    await expect(services.secondFactor.enable(actor, codeOf({ secret: first }))).rejects.toMatchObject(
      WRONG_CODE,
    );
    await expect(services.secondFactor.enable(actor, codeOf({ secret: second }))).resolves.toHaveLength(10);
  });

  it('can be neither replaced nor enabled again once it is enabled', async () => {
    const user = await createProtectedUser();
    await expect(services.secondFactor.generate(user.actor)).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(services.secondFactor.enable(user.actor, codeOf(user))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
  });

  it.each(['', '12345', '1234567', '１２３４５６', '\u0000'])('is not enabled by %j', async (code) => {
    const actor = await env.createActor();
    await services.secondFactor.generate(actor);
    await expect(services.secondFactor.enable(actor, code)).rejects.toMatchObject(WRONG_CODE);
  });

  it('can be neither enabled nor disabled if it was never generated', async () => {
    const actor = await env.createActor();
    await expect(services.secondFactor.enable(actor, '000000')).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(services.secondFactor.disable(actor, '000000')).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  it('can be changed only with ADMIN and a session that has not ended', async () => {
    const actorWithoutAdmin = await env.core.actor('READ', 'TRADE', 'WITHDRAW');
    const ended = await env.createActor();
    await services.sessions.revoke(ended);
    for (const [actor, code] of [
      [actorWithoutAdmin, 'permission_denied'],
      [ended, 'invalid_access_token'],
    ] as const) {
      await expect(services.secondFactor.generate(actor)).rejects.toMatchObject({ code });
      await expect(services.secondFactor.enable(actor, '000000')).rejects.toMatchObject({ code });
      await expect(services.secondFactor.disable(actor, '000000')).rejects.toMatchObject({ code });
    }
  });

  it('can be used after the server key was replaced, as long as the old key is still configured', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    const withNewKey = env.createServices({ serverKeys: ['new key'] });
    await expect(withNewKey.secondFactor.verify(ticket, codeOf(user))).rejects.not.toMatchObject(
      LOGIN_REJECTED,
    );
    const withBothKeys = env.createServices({ serverKeys: ['new key', 'server key'] });
    await expect(withBothKeys.secondFactor.verify(ticket, codeOf(user))).resolves.toBeDefined();
  });
});

describe('signing in with a second factor', () => {
  it.each(['password', 'google', 'x', 'apple', 'telegram'] as const)(
    'by %s returns a ticket; the ticket and a code open a session',
    async (how) => {
      const user = await createProtectedUser();
      const signedIn = await signIn(user, how);
      if (signedIn.kind !== 'ticket') throw new Error('no second factor is required');
      expect(signedIn.ticket).toMatch(/^ticket_[\w-]{43}$/);
      const minutes = (Date.parse(signedIn.expiresAt) - Date.now()) / 60_000;
      expect(minutes).toBeCloseTo(5, 0);
      const { accessToken } = await verify(signedIn.ticket, codeOf(user));
      const { userId, credential } = await services.sessions.verify(accessToken);
      expect(userId).toBe(user.actor.userId);
      expect(await env.core.row('SELECT how FROM sessions WHERE id = $1', credential.id)).toEqual({ how });
    },
  );

  it('by passkey requires no second factor, because a passkey proves two factors', async () => {
    expect(await signIn(await createProtectedUser(), 'passkey')).toMatchObject({ kind: 'tokens' });
  });

  it('accepts a code with a space in it, and a code of the time step before or after', async () => {
    for (const steps of [-1, 0, 1]) {
      const user = await createProtectedUser();
      const code = codeOf(user, steps).replace(/^(...)/, '$1 ');
      await expect(verify(await ticketOf(user), code)).resolves.toBeDefined();
    }
  });

  it('rejects a code that is two time steps early or late', async () => {
    const user = await createProtectedUser();
    const nearCodes = [-1, 0, 1].map((steps) => codeOf(user, steps));
    for (const code of [codeOf(user, -2), codeOf(user, 2)].filter((code) => !nearCodes.includes(code))) {
      await expect(verify(await ticketOf(user), code)).rejects.toMatchObject(LOGIN_REJECTED);
    }
  });

  it('rejects the code that enabled the second factor, even within its time step', async () => {
    const actor = await env.createActor();
    const secret = fromBase32((await services.secondFactor.generate(actor)).secret);
    const user = {
      actor,
      secret,
      recoveryCodes: await services.secondFactor.enable(actor, codeOf({ secret })),
    };
    await expect(verify(await ticketOf(user), codeOf(user))).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(await ticketOf(user), codeOf(user, -1))).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(await ticketOf(user), codeOf(user, 1))).resolves.toBeDefined();
  });

  it('accepts a code for only one of ten concurrent tickets', async () => {
    const user = await createProtectedUser();
    const tickets = await Promise.all(Array.from({ length: 10 }, () => ticketOf(user)));
    const code = codeOf(user);
    const outcomes = await Promise.allSettled(tickets.map((ticket) => verify(ticket, code)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(LOGIN_REJECTED);
    }
  });
});

describe('a ticket', () => {
  it('is valid for one session', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    await verify(ticket, codeOf(user));
    env.nowMs += STEP_MS * 2;
    await expect(verify(ticket, codeOf(user))).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('opens one session if two valid codes arrive concurrently', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    const outcomes = await Promise.allSettled([
      verify(ticket, codeOf(user)),
      verify(ticket, user.recoveryCodes[0]!),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(LOGIN_REJECTED);
    }
  });

  it('is valid for five attempts: the sixth is rejected even with the right code', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    for (let n = 0; n < 5; n++)
      await expect(verify(ticket, wrongCode(user))).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(ticket, codeOf(user))).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
  });

  it('accepts the right code at the fifth attempt', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    for (let n = 0; n < 4; n++)
      await expect(verify(ticket, wrongCode(user))).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(ticket, codeOf(user))).resolves.toBeDefined();
  });

  it('counts five of thirty concurrent attempts, and checks only these', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    const code = wrongCode(user);
    await Promise.allSettled(Array.from({ length: 30 }, () => verify(ticket, code)));
    expect(
      await env.core.row(
        'SELECT max(tries) AS tries FROM sign_in_tickets WHERE user_id = $1',
        user.actor.userId,
      ),
    ).toEqual({
      tries: 5,
    });
    expect(
      await env.core.row('SELECT attempts FROM sign_in_attempts ORDER BY expires_at DESC LIMIT 1'),
    ).toEqual({ attempts: 5 });
  });

  it('is valid for five minutes', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    await env.core.rows(
      "UPDATE sign_in_tickets SET expires_at = expires_at - interval '5 minutes' WHERE user_id = $1",
      user.actor.userId,
    );
    await expect(verify(ticket, codeOf(user))).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it("accepts only its own user's code", async () => {
    const [user, other] = [await createProtectedUser(), await createProtectedUser()];
    await expect(verify(await ticketOf(user), codeOf(other))).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(await ticketOf(user), other.recoveryCodes[0]!)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it.each(['', 'ticket_', `ticket_${'A'.repeat(43)}`, `refresh_${'A'.repeat(43)}`, '\u0000'])(
    'is rejected if it is malformed or unknown: %j',
    async (ticket) => {
      await expect(verify(ticket, '000000')).rejects.toMatchObject(LOGIN_REJECTED);
    },
  );

  it.each(['', '0', '\u0000', '🙂', 'x'.repeat(10_000), '000000000000'])(
    'rejects the code %j',
    async (code) => {
      await expect(verify(await ticketOf(await createProtectedUser()), code)).rejects.toMatchObject(
        LOGIN_REJECTED,
      );
    },
  );
});

describe('guessing a second factor', () => {
  it('is blocked after ten attempts over all tickets, even with the right code, for fifteen minutes', async () => {
    const user = await createProtectedUser();
    for (let n = 0; n < 10; n++) {
      await expect(verify(await ticketOf(user), wrongCode(user))).rejects.toMatchObject(LOGIN_REJECTED);
    }
    await expect(verify(await ticketOf(user), codeOf(user))).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: expect.any(Number),
    });
    await env.core.rows("UPDATE sign_in_attempts SET expires_at = expires_at - interval '15 minutes'");
    await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
  });

  it('is also limited to ten attempts when disabling it', async () => {
    const user = await createProtectedUser();
    for (let n = 0; n < 10; n++) {
      await expect(services.secondFactor.disable(user.actor, wrongCode(user))).rejects.toMatchObject(
        WRONG_CODE,
      );
    }
    await expect(services.secondFactor.disable(user.actor, codeOf(user))).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await resetAttempts();
    await expect(services.secondFactor.disable(user.actor, codeOf(user))).resolves.toBeUndefined();
  });

  it('is limited anew after the right code', async () => {
    const user = await createProtectedUser();
    for (const steps of [0, 2]) {
      for (let n = 0; n < 9; n++) {
        await expect(verify(await ticketOf(user), wrongCode(user))).rejects.toMatchObject(LOGIN_REJECTED);
      }
      env.nowMs += steps * STEP_MS;
      await expect(verify(await ticketOf(user), codeOf(user))).resolves.toBeDefined();
    }
  });
});

describe('a recovery code', () => {
  it('can be used once instead of a code of the app, with any case and separators', async () => {
    const user = await createProtectedUser();
    const [code = '', other = ''] = user.recoveryCodes;
    await expect(
      verify(await ticketOf(user), code.toLowerCase().replaceAll('-', ' ')),
    ).resolves.toBeDefined();
    await expect(verify(await ticketOf(user), code)).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(await ticketOf(user), other)).resolves.toBeDefined();
  });

  it('is accepted for only one of ten concurrent tickets', async () => {
    const user = await createProtectedUser();
    const tickets = await Promise.all(Array.from({ length: 10 }, () => ticketOf(user)));
    const outcomes = await Promise.allSettled(
      tickets.map((ticket) => verify(ticket, user.recoveryCodes[0]!)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('disabling a second factor', () => {
  it.each(['a code', 'a recovery code'])(
    'accepts %s; after that no second factor is required',
    async (kind) => {
      const user = await createProtectedUser();
      const ticket = await ticketOf(user);
      await expect(services.secondFactor.disable(user.actor, wrongCode(user))).rejects.toMatchObject(
        WRONG_CODE,
      );
      await services.secondFactor.disable(
        user.actor,
        kind === 'a code' ? codeOf(user) : user.recoveryCodes[3]!,
      );
      expect(await signIn(user)).toMatchObject({ kind: 'tokens' });
      await expect(verify(ticket, user.recoveryCodes[4]!)).rejects.toMatchObject(LOGIN_REJECTED);
      await expect(services.secondFactor.generate(user.actor)).resolves.toBeDefined();
    },
  );

  it('and enabling it again invalidates old recovery codes and tickets', async () => {
    const user = await createProtectedUser();
    const ticket = await ticketOf(user);
    await services.secondFactor.disable(user.actor, codeOf(user));
    const secret = fromBase32((await services.secondFactor.generate(user.actor)).secret);
    const codes = await services.secondFactor.enable(user.actor, codeOf({ secret }));
    await expect(verify(await ticketOf(user), user.recoveryCodes[5]!)).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(ticket, codes[4]!)).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(verify(await ticketOf(user), codes[5]!)).resolves.toBeDefined();
  });
});

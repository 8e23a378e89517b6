import { DomainError } from '@trading-automation/contracts';
import { isUniqueViolation, newUuid, type Tx } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { type IdempotencyContext, ResponseReplayed } from './command-runner.js';
import type { Actor } from './index.js';
import { toDomainError } from './to-domain-error.js';

let core: CoreUnderTest;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  await core.rows(
    'CREATE TABLE effects (id uuid PRIMARY KEY, made_by text NOT NULL, CONSTRAINT one_each UNIQUE (made_by))',
  );
  await core.rows('CREATE TABLE stocks (name text PRIMARY KEY, amount integer NOT NULL)');
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  await core.rows('TRUNCATE effects, stocks');
});

const idempotencyContext = (key = 'key-1') => core.idempotencyContext(actor.userId, key);
const insertEffect = (madeBy: string) => async (tx: Tx) => {
  await tx.query('INSERT INTO effects (id, made_by) VALUES ($1, $2)', [newUuid(), madeBy]);
  return { made_by: madeBy };
};
const effects = async () =>
  (await core.rows('SELECT made_by FROM effects ORDER BY made_by')).map(({ made_by }) => made_by);
const errorOf = (work: Promise<unknown>) => work.then(() => null).catch((error) => error);
const replayedResponse = (error: unknown) => {
  expect(error).toBeInstanceOf(ResponseReplayed);
  const { status, body } = (error as ResponseReplayed).response;
  return { status, text: Buffer.from(body).toString() };
};

describe('a command without an Idempotency-Key', () => {
  it('takes effect each time it runs, unless it fails', async () => {
    await core.commands.run(undefined, insertEffect('first'));
    await core.commands.run(undefined, insertEffect('second'));
    const failing = core.commands.run(undefined, async (tx) => {
      await insertEffect('third')(tx);
      throw new DomainError('invalid_state');
    });
    await expect(failing).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await effects()).toEqual(['first', 'second']);
  });
});

describe('the use-cases of one user', () => {
  it('leave database connections to other users, whatever their number and duration', async () => {
    const { database } = core.platform;
    const blocker = database.createQueryRunner();
    await blocker.startTransaction();
    await blocker.query('SELECT pg_advisory_xact_lock(4711)');
    const waitForLock = () =>
      core.commands.run(undefined, (tx) => tx.query('SELECT pg_advisory_xact_lock(4711)'));
    // More than the connections of the pool.
    const blocked = Array.from({ length: 40 }, () => core.commands.share(actor.userId, waitForLock));
    const other = await core.actor();
    await core.commands.share(other.userId, () => core.commands.run(undefined, insertEffect('other')));
    expect(await effects()).toEqual(['other']);
    await blocker.commitTransaction();
    await blocker.release();
    await Promise.all(blocked);
  });

  it('are refused with 429 beyond 256 open ones', async () => {
    let end = () => {};
    const waiting = new Promise<void>((resolve) => {
      end = resolve;
    });
    const open = Array.from({ length: 256 }, () => core.commands.share(actor.userId, () => waiting));
    await expect(core.commands.share(actor.userId, () => 1)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    end();
    await Promise.all(open);
  });
});

describe('a command with an Idempotency-Key', () => {
  it('takes effect once, and replays the response byte for byte', async () => {
    const value = await core.commands.run(idempotencyContext(), insertEffect('ä ☃ 1.10'));
    for (let i = 0; i < 3; i++) {
      const again = await errorOf(core.commands.run(idempotencyContext(), insertEffect('again')));
      expect(replayedResponse(again)).toEqual({ status: 201, text: JSON.stringify(value) });
    }
    expect(await effects()).toEqual(['ä ☃ 1.10']);
  });

  it('stores a domain error as the response, and rolls back what the effect wrote', async () => {
    const failing = core.commands.run(idempotencyContext(), async (tx) => {
      await insertEffect('rolled back')(tx);
      throw new DomainError('insufficient_balance');
    });
    await expect(failing).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await effects()).toEqual([]);
    const again = await errorOf(core.commands.run(idempotencyContext(), insertEffect('would succeed')));
    expect(replayedResponse(again)).toEqual({ status: 409, text: '{"code":"insufficient_balance"}' });
    expect(await effects()).toEqual([]);
  });

  it.each(['permission_denied', 'rate_limited', 'service_unavailable', 'exchange_unavailable'] as const)(
    'does not store the error %s, because a retry may succeed',
    async (code) => {
      const failing = core.commands.run(idempotencyContext(), async (tx) => {
        await insertEffect('rolled back')(tx);
        throw new DomainError(code);
      });
      await expect(failing).rejects.toMatchObject({ code });
      await expect(core.commands.run(idempotencyContext(), insertEffect('done'))).resolves.toEqual({
        made_by: 'done',
      });
      expect(await effects()).toEqual(['done']);
    },
  );

  it('is rejected if the key was used for another request of the same user', async () => {
    await core.commands.run(idempotencyContext(), insertEffect('mine'));
    const { request, serialize } = idempotencyContext();
    const other: IdempotencyContext = { request: { ...request, fingerprint: Buffer.alloc(32) }, serialize };
    await expect(core.commands.run(other, insertEffect('other'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    actor = await core.actor();
    await expect(core.commands.run(idempotencyContext(), insertEffect('theirs'))).resolves.toEqual({
      made_by: 'theirs',
    });
  });

  it('fails with Retry-After while another request with its key is in progress', async () => {
    await core.commands.run(idempotencyContext(), async (tx) => {
      await insertEffect('slow')(tx);
      const early = await errorOf(core.commands.run(idempotencyContext(), insertEffect('early')));
      expect(early).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 });
      return null;
    });
    expect(await effects()).toEqual(['slow']);
  });

  it('passes a unique violation on to its caller, and stores no response', async () => {
    await core.commands.run(undefined, insertEffect('one'));
    const error = await errorOf(core.commands.run(idempotencyContext(), insertEffect('one')));
    expect(isUniqueViolation(error, 'one_each')).toBe(true);
    expect(isUniqueViolation(error, 'another')).toBe(false);
    await expect(core.commands.run(idempotencyContext(), insertEffect('two'))).resolves.toEqual({
      made_by: 'two',
    });
  });

  it('takes effect once if a deadlock rolls back its first attempt', async () => {
    await core.rows("INSERT INTO stocks VALUES ('a', 0), ('b', 0)");
    let runs = 0;
    let holderCount = 0;
    let resolveBoth: () => void = () => undefined;
    const bothHoldALock = new Promise<void>((resolve) => {
      resolveBoth = resolve;
    });
    const updateStocks = (first: string, second: string) => async (tx: Tx) => {
      runs++;
      await tx.query('UPDATE stocks SET amount = amount + 1 WHERE name = $1', [first]);
      if (++holderCount === 2) resolveBoth();
      await bothHoldALock;
      await tx.query('UPDATE stocks SET amount = amount + 1 WHERE name = $1', [second]);
      return insertEffect(`${first}${second}`)(tx);
    };
    await Promise.all([
      core.commands.run(idempotencyContext('key-a'), updateStocks('a', 'b')),
      core.commands.run(idempotencyContext('key-b'), updateStocks('b', 'a')),
    ]);
    expect(runs).toBe(3);
    expect(await core.rows('SELECT amount FROM stocks')).toEqual([{ amount: 2 }, { amount: 2 }]);
    expect(await effects()).toEqual(['ab', 'ba']);
    for (const key of ['key-a', 'key-b']) {
      replayedResponse(await errorOf(core.commands.run(idempotencyContext(key), insertEffect('again'))));
    }
  });
});

describe('a command that is prepared outside of its transaction', () => {
  it('takes effect once if two concurrent requests have the same key, although both are prepared', async () => {
    const runCommand = (effect: string, prepare: () => Promise<void>) =>
      core.commands.runPrepared(idempotencyContext(), prepare, (tx) => insertEffect(effect)(tx));
    let second: Promise<unknown> = Promise.resolve();
    // The second request starts during the preparation of the first one, when the key is not claimed yet.
    const first = runCommand(
      'first',
      () =>
        new Promise((resolve) => {
          second = runCommand('second', async () => resolve());
          second.catch(() => resolve());
        }),
    );
    await first.catch(() => undefined);
    const outcomes = await Promise.allSettled([first, second]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await effects()).toHaveLength(1);
  });

  it('is not prepared if its response is already stored', async () => {
    await core.commands.runPrepared(idempotencyContext(), async () => 1, insertEffect('done'));
    let prepared = 0;
    const again = await errorOf(
      core.commands.runPrepared(idempotencyContext(), async () => prepared++, insertEffect('again')),
    );
    replayedResponse(again);
    expect(prepared).toBe(0);
  });

  it('has no open transaction during its preparation', async () => {
    await core.commands.runPrepared(
      idempotencyContext(),
      async () => {
        const open = await core.rows(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
        );
        expect(open).toEqual([]);
      },
      insertEffect('done'),
    );
    expect(await effects()).toEqual(['done']);
  });

  it('stores an error of its preparation only if a retry would fail again', async () => {
    const failing = (code: 'exchange_credentials_rejected' | 'exchange_unavailable') =>
      core.commands.runPrepared(
        idempotencyContext(),
        () => Promise.reject(new DomainError(code)),
        () => insertEffect('never')({} as Tx),
      );
    await expect(failing('exchange_unavailable')).rejects.toMatchObject({ code: 'exchange_unavailable' });
    await expect(failing('exchange_credentials_rejected')).rejects.toMatchObject({
      code: 'exchange_credentials_rejected',
    });
    const again = await errorOf(
      core.commands.runPrepared(idempotencyContext(), async () => 1, insertEffect('again')),
    );
    expect(replayedResponse(again).text).toBe('{"code":"exchange_credentials_rejected"}');
    expect(await effects()).toEqual([]);
  });
});

describe('an error of the database', () => {
  const raise = (sqlState: string) =>
    core.rows(`DO $$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '${sqlState}'; END $$`).then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each(['40001', '40P01', '55P03', '57014', '57P01', '08006', '53100', '58030', '25006'])(
    'becomes service_unavailable if a retry may succeed: %s',
    async (sqlState) => {
      const cause = await raise(sqlState);
      const domainError = toDomainError(cause);
      expect(domainError).toBeInstanceOf(DomainError);
      expect(domainError).toMatchObject({ code: 'service_unavailable', cause });
    },
  );

  it.each(['23505', '22P02', '42601', 'P0001'])(
    'is returned unchanged if it would recur: %s',
    async (sqlState) => {
      const error = await raise(sqlState);
      expect(toDomainError(error)).toBe(error);
    },
  );
});

import { DomainError } from '@trading-automation/contracts';
import { isUniqueViolation, newUuid, type Tx } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { type IdempotencyContext, ResponseReplayed } from './command-runner.js';
import type { Actor } from './index.js';

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

const once = (key = 'key-1') => core.idempotencyContext(actor.userId, key);
const make = (madeBy: string) => async (tx: Tx) => {
  await tx.query('INSERT INTO effects (id, made_by) VALUES ($1, $2)', [newUuid(), madeBy]);
  return { made_by: madeBy };
};
const effects = async () =>
  (await core.rows('SELECT made_by FROM effects ORDER BY made_by')).map(({ made_by }) => made_by);
const refusalOf = (work: Promise<unknown>) => work.then(() => null).catch((error) => error);
const answerOf = (error: unknown) => {
  expect(error).toBeInstanceOf(ResponseReplayed);
  const { status, body } = (error as ResponseReplayed).response;
  return { status, text: Buffer.from(body).toString() };
};

describe('a command without an Idempotency-Key', () => {
  it('has its effect each time, and none if it fails', async () => {
    await core.commands.run(undefined, make('first'));
    await core.commands.run(undefined, make('second'));
    const failing = core.commands.run(undefined, async (tx) => {
      await make('third')(tx);
      throw new DomainError('invalid_state');
    });
    await expect(failing).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await effects()).toEqual(['first', 'second']);
  });
});

describe('a command with an Idempotency-Key', () => {
  it('has its effect once, and replays the response byte for byte', async () => {
    const value = await core.commands.run(once(), make('ä ☃ 1.10'));
    for (let i = 0; i < 3; i++) {
      const again = await refusalOf(core.commands.run(once(), make('again')));
      expect(answerOf(again)).toEqual({ status: 201, text: JSON.stringify(value) });
    }
    expect(await effects()).toEqual(['ä ☃ 1.10']);
  });

  it('stores a domain error, and rolls back what was done before it', async () => {
    const refused = core.commands.run(once(), async (tx) => {
      await make('undone')(tx);
      throw new DomainError('insufficient_balance');
    });
    await expect(refused).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await effects()).toEqual([]);
    const again = await refusalOf(core.commands.run(once(), make('would work now')));
    expect(answerOf(again)).toEqual({ status: 409, text: '{"code":"insufficient_balance"}' });
    expect(await effects()).toEqual([]);
  });

  it.each(['permission_denied', 'rate_limited', 'service_unavailable', 'exchange_unavailable'] as const)(
    'keeps no %s: the next try may work',
    async (code) => {
      const refused = core.commands.run(once(), async (tx) => {
        await make('undone')(tx);
        throw new DomainError(code);
      });
      await expect(refused).rejects.toMatchObject({ code });
      await expect(core.commands.run(once(), make('done'))).resolves.toEqual({ made_by: 'done' });
      expect(await effects()).toEqual(['done']);
    },
  );

  it('is rejected with another request, and belongs to one user only', async () => {
    await core.commands.run(once(), make('mine'));
    const { request, render } = once();
    const other: IdempotencyContext = { request: { ...request, fingerprint: Buffer.alloc(32) }, render };
    await expect(core.commands.run(other, make('other'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    actor = await core.actor();
    await expect(core.commands.run(once(), make('theirs'))).resolves.toEqual({ made_by: 'theirs' });
  });

  it('reports that the first one is in progress, and asks to retry', async () => {
    await core.commands.run(once(), async (tx) => {
      await make('slow')(tx);
      const early = await refusalOf(core.commands.run(once(), make('early')));
      expect(early).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 });
      return null;
    });
    expect(await effects()).toEqual(['slow']);
  });

  it('rethrows a unique violation to the caller, and stores nothing', async () => {
    await core.commands.run(undefined, make('one'));
    const doubled = await refusalOf(core.commands.run(once(), make('one')));
    expect(isUniqueViolation(doubled, 'one_each')).toBe(true);
    expect(isUniqueViolation(doubled, 'another')).toBe(false);
    await expect(core.commands.run(once(), make('two'))).resolves.toEqual({ made_by: 'two' });
  });

  it('has its effect once after a deadlock rolled back its first attempt', async () => {
    await core.rows("INSERT INTO stocks VALUES ('a', 0), ('b', 0)");
    let runs = 0;
    let holding = 0;
    let met: () => void = () => undefined;
    const bothHoldOne = new Promise<void>((resolve) => {
      met = resolve;
    });
    const move = (first: string, second: string) => async (tx: Tx) => {
      runs++;
      await tx.query('UPDATE stocks SET amount = amount + 1 WHERE name = $1', [first]);
      if (++holding === 2) met();
      await bothHoldOne;
      await tx.query('UPDATE stocks SET amount = amount + 1 WHERE name = $1', [second]);
      return make(`${first}${second}`)(tx);
    };
    await Promise.all([
      core.commands.run(once('key-a'), move('a', 'b')),
      core.commands.run(once('key-b'), move('b', 'a')),
    ]);
    expect(runs).toBe(3);
    expect(await core.rows('SELECT amount FROM stocks')).toEqual([{ amount: 2 }, { amount: 2 }]);
    expect(await effects()).toEqual(['ab', 'ba']);
    for (const key of ['key-a', 'key-b']) {
      answerOf(await refusalOf(core.commands.run(once(key), make('again'))));
    }
  });
});

describe('a command with a preparation', () => {
  it('has one effect for equal concurrent keys, although both may prepare', async () => {
    const begin = (effect: string, prepare: () => Promise<void>) =>
      core.commands.runPrepared(once(), prepare, (tx) => make(effect)(tx));
    let second: Promise<unknown> = Promise.resolve();
    // The second one arrives while the first prepares, and cannot see it.
    const first = begin(
      'first',
      () =>
        new Promise((resolve) => {
          second = begin('second', async () => resolve());
          second.catch(() => resolve());
        }),
    );
    await first.catch(() => undefined);
    const outcomes = await Promise.allSettled([first, second]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await effects()).toHaveLength(1);
  });

  it('does not prepare if a response is stored', async () => {
    await core.commands.runPrepared(once(), async () => 1, make('done'));
    let prepared = 0;
    const again = await refusalOf(core.commands.runPrepared(once(), async () => prepared++, make('again')));
    answerOf(again);
    expect(prepared).toBe(0);
  });

  it('holds no transaction open while it prepares', async () => {
    await core.commands.runPrepared(
      once(),
      async () => {
        const open = await core.rows(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
        );
        expect(open).toEqual([]);
      },
      make('done'),
    );
    expect(await effects()).toEqual(['done']);
  });

  it('stores a lasting error of the preparation, and no other', async () => {
    const failing = (code: 'exchange_credentials_rejected' | 'exchange_unavailable') =>
      core.commands.runPrepared(
        once(),
        () => Promise.reject(new DomainError(code)),
        () => make('never')({} as Tx),
      );
    await expect(failing('exchange_unavailable')).rejects.toMatchObject({ code: 'exchange_unavailable' });
    await expect(failing('exchange_credentials_rejected')).rejects.toMatchObject({
      code: 'exchange_credentials_rejected',
    });
    const again = await refusalOf(core.commands.runPrepared(once(), async () => 1, make('again')));
    expect(answerOf(again).text).toBe('{"code":"exchange_credentials_rejected"}');
    expect(await effects()).toEqual([]);
  });
});

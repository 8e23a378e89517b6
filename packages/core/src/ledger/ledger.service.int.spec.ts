import { inTransaction, isUniqueViolation, newUuid, sqlStateOf } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { Ledger, type LedgerEntry } from './ledger.service.js';

let core: CoreUnderTest;
let ledger: Ledger;
let userId: string;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  ledger = new Ledger(core.platform);
});
afterAll(() => core.close());
beforeEach(async () => {
  userId = (await core.actor()).userId;
});

const available = () => ({ kind: 'available', userId }) as const;
const held = () => ({ kind: 'held', userId }) as const;
const ISSUANCE = { kind: 'issuance' } as const;
const post = (entry: Partial<LedgerEntry> = {}) =>
  inTransaction(core.platform.database, (tx) =>
    ledger.post(tx, {
      fact: 'reward.claimed',
      subjectId: newUuid(),
      from: ISSUANCE,
      to: available(),
      amount: '10',
      ...entry,
    }),
  );
/** Runs statements in one transaction, as an operator with direct database access would. */
const executeRaw = (...statements: readonly (readonly [string, ...unknown[]])[]) =>
  inTransaction(core.platform.database, async (tx) => {
    for (const [text, ...params] of statements) await tx.query(text, params);
  });
const accountOf = async (kind: string) => {
  const { id } = await core.row(
    'SELECT id FROM ledger_accounts WHERE user_id = $1 AND kind = $2',
    userId,
    kind,
  );
  return String(id);
};
const newEntry = (id: string) =>
  ["INSERT INTO ledger_entries (id, fact, subject_id) VALUES ($1, 'manual', $1)", id] as const;
const newPosting = (entry: string, account: string, amount: string) =>
  [
    'INSERT INTO ledger_postings (entry_id, account_id, amount) VALUES ($1, $2, $3)',
    entry,
    account,
    amount,
  ] as const;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error) => `${sqlStateOf(error)} ${error.driverError?.constraint ?? error.constraint ?? ''}`,
  );

describe('posting', () => {
  it('moves exact amounts between accounts, including the last decimal', async () => {
    await post({ amount: '0.300000000000000001' });
    await post({ fact: 'withdrawal.held', from: available(), to: held(), amount: '0.1' });
    expect(await ledger.balance(userId)).toEqual({ available: '0.200000000000000001', held: '0.1' });
  });

  it('takes effect once for the same fact and subject, despite concurrent calls', async () => {
    const subjectId = newUuid();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => post({ subjectId })));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(failures).toHaveLength(19);
    for (const failure of failures) expect(isUniqueViolation(failure, 'ledger_entries_fact_key')).toBe(true);
    expect(await ledger.balance(userId)).toEqual({ available: '10', held: '0' });
  });

  it("is rejected by the database without storing rows if it would overdraw a user's account", async () => {
    await post();
    const subjectId = newUuid();
    const overdrawn = post({
      fact: 'withdrawal.held',
      subjectId,
      from: available(),
      to: held(),
      amount: '10.01',
    });
    expect(await failureOf(overdrawn)).toBe('23514 ledger_accounts_never_negative');
    expect(await ledger.balance(userId)).toEqual({ available: '10', held: '0' });
    expect(await core.rows('SELECT FROM ledger_entries WHERE subject_id = $1', subjectId)).toEqual([]);
  });

  it('creates the accounts of a user once, despite concurrent first postings', async () => {
    await Promise.all(Array.from({ length: 15 }, () => post()));
    expect(await ledger.balance(userId)).toEqual({ available: '150', held: '0' });
    expect(await core.rows('SELECT FROM ledger_accounts WHERE user_id = $1', userId)).toHaveLength(1);
    expect(await core.rows("SELECT FROM ledger_accounts WHERE kind = 'issuance'")).toHaveLength(1);
  });

  it('neither deadlocks nor loses an amount if postings in both directions are concurrent', async () => {
    await post({ amount: '100' });
    await post({ fact: 'withdrawal.held', from: available(), to: held(), amount: '50' });
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 2 === 0
          ? post({ fact: 'withdrawal.held', from: available(), to: held(), amount: '1' })
          : post({ fact: 'withdrawal.released', from: held(), to: available(), amount: '1' }),
      ),
    );
    expect(await ledger.balance(userId)).toEqual({ available: '50', held: '50' });
  });
});

describe('the database constraints', () => {
  beforeEach(async () => {
    await post();
    await post({ fact: 'withdrawal.held', from: available(), to: held(), amount: '4' });
  });
  const expectUnchangedBalance = async () =>
    expect(await ledger.balance(userId)).toEqual({ available: '6', held: '4' });

  it('reject at COMMIT an entry whose postings do not sum to zero', async () => {
    const entry = newUuid();
    const [one, other] = [await accountOf('available'), await accountOf('held')];
    for (const [debit, credit] of [
      ['-1', '1.000000000000000001'],
      ['-1', '0.5'],
      ['1', '1'],
    ] as const) {
      const unbalanced = executeRaw(
        newEntry(entry),
        newPosting(entry, one, debit),
        newPosting(entry, other, credit),
      );
      expect(await failureOf(unbalanced)).toBe('23514 ledger_postings_sum_to_zero');
    }
    expect(await failureOf(executeRaw(newEntry(entry), newPosting(entry, one, '5')))).toBe(
      '23514 ledger_postings_sum_to_zero',
    );
    await expectUnchangedBalance();
  });

  it('reject an entry that is balanced only across two currencies', async () => {
    const [entry, otherCurrencyAccount] = [newUuid(), newUuid()];
    const mixed = executeRaw(
      [
        "INSERT INTO ledger_accounts (id, user_id, kind, currency, balance) VALUES ($1, $2, 'held', 'OTHER', 0)",
        otherCurrencyAccount,
        userId,
      ],
      newEntry(entry),
      newPosting(entry, await accountOf('available'), '-1'),
      newPosting(entry, otherCurrencyAccount, '1'),
    );
    expect(await failureOf(mixed)).toBe('23514 ledger_postings_sum_to_zero');
    await expectUnchangedBalance();
  });

  it('reject an unbalanced entry even if its first postings were balanced and checked before', async () => {
    const entry = newUuid();
    const [one, other] = [await accountOf('available'), await accountOf('held')];
    const third = await core.row("SELECT id FROM ledger_accounts WHERE kind = 'issuance'");
    const early = executeRaw(
      newEntry(entry),
      newPosting(entry, one, '-1'),
      newPosting(entry, other, '1'),
      ['SET CONSTRAINTS ALL IMMEDIATE'],
      ['SET CONSTRAINTS ALL DEFERRED'],
      newPosting(entry, String(third.id), '7'),
    );
    expect(await failureOf(early)).toBe('23514 ledger_postings_sum_to_zero');
    await expectUnchangedBalance();
  });

  it('accept a balanced entry, but no further postings to it after its commit', async () => {
    const entry = newUuid();
    const [one, other] = [await accountOf('available'), await accountOf('held')];
    const third = await core.row("SELECT id FROM ledger_accounts WHERE kind = 'issuance'");
    await executeRaw(newEntry(entry), newPosting(entry, one, '1'), newPosting(entry, String(third.id), '-1'));
    expect(await failureOf(executeRaw(newPosting(entry, other, '1')))).toBe('23514 ledger_entries_closed');
    expect(await ledger.balance(userId)).toEqual({ available: '7', held: '4' });
  });

  it.each([
    ['UPDATE ledger_postings SET amount = amount * 2'],
    ['DELETE FROM ledger_postings'],
    ['TRUNCATE ledger_postings'],
    ["UPDATE ledger_entries SET fact = 'another'"],
    ['DELETE FROM ledger_entries'],
    ['TRUNCATE ledger_entries CASCADE'],
    ['UPDATE ledger_accounts SET balance = balance + 1'],
    ['UPDATE ledger_accounts SET user_id = NULL'],
    ['DELETE FROM ledger_accounts'],
    ['TRUNCATE ledger_accounts CASCADE'],
  ])('reject the statement %s', async (statement) => {
    expect(await failureOf(executeRaw([statement]))).toBe('23001 ledger_append_only');
    await expectUnchangedBalance();
  });

  it('reject a new account whose balance is not zero', async () => {
    const insertAccount = (balance: string) =>
      executeRaw([
        "INSERT INTO ledger_accounts (id, user_id, kind, currency, balance) VALUES ($1, $2, 'held', 'OTHER', $3)",
        newUuid(),
        userId,
        balance,
      ]);
    expect(await failureOf(insertAccount('1'))).toBe('23001 ledger_append_only');
    expect(await failureOf(insertAccount('-1'))).toBe('23001 ledger_append_only');
  });
});

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestDatabase } from '@trading-automation/persistence/testing';
import { createCoreDatabase } from '../testing/core-database.js';

const ROOT = new URL('../../../../', import.meta.url).pathname;
const TOOL = join(ROOT, 'tooling/statements');

interface Finding {
  readonly statement: string;
  readonly problem: string;
}
interface Report {
  readonly statements: number;
  /** Number of distinct SQL strings of these statements. */
  readonly variants: number;
  /** Number of statements whose row type was compared. */
  readonly typed: number;
  /** See UNCLAIMED. */
  readonly unclaimed: readonly string[];
  /** See PLANNED_AT_EACH_USE. */
  readonly planned: readonly string[];
  /** See UNCOVERED. */
  readonly uncovered: readonly Finding[];
  readonly defects: readonly Finding[];
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createCoreDatabase();
});
afterAll(() => database.drop());

async function check(files: readonly string[]): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '-C',
      '@trading-automation/source',
      '--import',
      join(TOOL, 'register.mjs'),
      join(TOOL, 'check.mjs'),
      database.url,
      ...files,
    ],
    { cwd: ROOT, maxBuffer: 1e8 },
  );
  return JSON.parse(stdout) as Report;
}

/** Returns the source files of the product, without the migrations: other tests run these. */
function productFiles(): string[] {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  const apps = readdirSync(join(ROOT, 'apps')).map((name) => `apps/${name}`);
  return [...packages, ...apps].flatMap((folder) =>
    readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/spec\.ts$|(^|\/)testing\/|\/migrations\//.test(name))
      .map((name) => join(ROOT, folder, 'src', name)),
  );
}

/** Statements whose SQL is known only at run time, so that the check cannot prepare them. */
const UNCOVERED = [
  // FETCH returns the columns of its cursor. The statement that declares the cursor is checked.
  'notifications.service.ts: markAllRead (2)',
  // LISTEN, for each channel that has subscribers.
  'listener.ts: syncSubscriptions',
  // The functions that run all prepared statements and lists.
  'keyset-list.ts: run',
  'prepared.ts: run',
  // The SQL is composed from an entity. The report has one such statement for each entity.
  'insert-many.ts: insertMany',
];

/**
 * Statements without a row type: the code only counts their rows, or reads them in a way that the check cannot follow.
 */
const UNCLAIMED = [
  'build-info.ts: version',
  'exchange-accounts.service.ts: getMany',
  'insecure-webhooks.ts: deactivateInsecureWebhooks (2)',
  'settlement.queries.ts: wakeWaitingExits',
  'reconciliation.service.ts: recordReconciliation',
  'lots.queries.ts: ensureAndLockBooks (2)',
  'trades.queries.ts: claimDueChecks',
  'trades.service.ts: list',
  'settlement.queries.ts: reopenClosings',
  'decisions.queries.ts: reopenExit (2)',
  'mail-queue.service.ts: claimOldest',
  'rewards.service.ts: resolveTypeFilter',
  'identity-proof.ts: consumeChallenge',
  'browser-sessions.service.ts: endSessions',
  'credential-watch.service.ts: readCredentialStates',
  'events.service.ts: get',
  'stream-leases.service.ts: renew',
  'second-factor-codes.ts: consume',
  'second-factor-codes.ts: consumeAppCode',
  'serve-process-calls.ts: claim',
  'provider-sign-in.service.ts: consumeProof',
  'passkey-sign-in.service.ts: remove',
  'passkey-sign-in.service.ts: consumeChallenge',
  'passkey-sign-in.service.ts: advanceCounter',
  'password-logins.ts: prepareChange',
  'sessions.service.ts: open',
  'sessions.service.ts: refresh',
  'settings.service.ts: get',
  'dead-letter.queries.ts: countDeadLetters',
  'claim.queries.ts: abandonDelivery',
  'replay.queries.ts: replayEvent',
  'lock-account.ts: lockOwnAccountShared',
  'lock-account-for-trade.ts: syncIfNeverSynced',
  'lock-account-for-trade.ts: resolveAccountFilter',
  'equity-snapshots.service.ts: recordEquities',
  'analytics.queries.ts: lossRuns (2)',
  'listener.ts: serveConnection',
  'advisory-lock.ts: withAdvisoryLock',
  'advisory-lock.ts: withAdvisoryLock (2)',
];

/** Statements that are too long to be prepared (ADR 34). None of them runs for each order. */
const PLANNED_AT_EACH_USE = [
  'copier-stats.queries.ts: copierFiguresOf',
  'copier-stats.queries.ts: readOwnCopiersWithStats',
];

describe('the SQL statements of the product', () => {
  let report: Report;
  beforeAll(async () => {
    report = await check(productFiles());
  }, 120_000);

  it('can be prepared, and return the columns and types that their row types declare', () => {
    expect(report.defects).toEqual([]);
  });

  it('are checked, except for those in UNCOVERED and UNCLAIMED', () => {
    expect(report.uncovered.map(({ statement }) => statement).sort()).toEqual([...UNCOVERED].sort());
    expect([...report.unclaimed].sort()).toEqual([...UNCLAIMED].sort());
  });

  it('are prepared unless they are listed in PLANNED_AT_EACH_USE', () => {
    expect([...report.planned].sort()).toEqual([...PLANNED_AT_EACH_USE].sort());
  });

  it('are found: at least 400 statements with 600 variants of their SQL, 200 of the statements with a row type', () => {
    expect(report.statements).toBeGreaterThanOrEqual(400);
    expect(report.variants).toBeGreaterThanOrEqual(600);
    expect(report.typed).toBeGreaterThanOrEqual(200);
  });
});

describe('the check of statements', () => {
  it('reports planted mistakes and nothing else', async () => {
    const { defects, uncovered, statements } = await check([join(TOOL, 'fixtures/planted.ts')]);
    const found = defects.map(({ statement, problem }) => `${statement.split(' ')[1]} ${problem}`);
    expect(found).toEqual([
      'missingColumn claims filledAt, which it does not return',
      'wrongType claims amount as number, but it is a string',
      'unclaimedColumn returns symbol, which its row type does not have',
      'readColumn claims symbol, which it does not return',
      'destructuredColumn claims symbol, which it does not return',
      'ofColumn cannot be prepared: column "weight" does not exist',
    ]);
    expect(uncovered).toEqual([
      { statement: 'planted.ts: unresolved', problem: 'no sample value for unresolved.column' },
    ]);
    expect(statements).toBe(7);
  });
});

import { CoreUnderTest } from '../testing/index.js';
import { DeprecatedUsageService } from './deprecated-usage.service.js';

let core: CoreUnderTest;
let usage: DeprecatedUsageService;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());
beforeEach(async () => {
  await core.rows('DELETE FROM deprecated_uses');
  usage = new DeprecatedUsageService(core.platform);
});

const ALL_DAYS = ['0001-01-01', '9999-12-31'] as const;
const totals = async () => {
  const uses: Record<string, number> = {};
  for (const count of await usage.list(...ALL_DAYS))
    uses[count.operation] = (uses[count.operation] ?? 0) + count.uses;
  return uses;
};

describe('uses of deprecated operations', () => {
  it('are counted by day and operation, summed over all processes', async () => {
    const other = new DeprecatedUsageService(await core.openSecondPlatform());
    for (let n = 0; n < 100; n++) {
      usage.note('login');
      other.note(n % 2 === 0 ? 'login' : 'register');
    }
    await Promise.all([usage.write(), other.write(), usage.write()]);
    usage.note('login');
    await usage.write();
    expect(await totals()).toEqual({ login: 151, register: 50 });
    const [first] = await usage.list(...ALL_DAYS);
    const nowMs = Date.now();
    const days = [nowMs, nowMs - 60_000].map((ms) => new Date(ms).toISOString().slice(0, 10));
    expect(days).toContain(first?.day);
  });

  it('are listed from a first to a last day, both included', async () => {
    await core.rows(
      `INSERT INTO deprecated_uses VALUES ('2026-01-30', 'login', 1), ('2026-01-31', 'x_auth', 2),
         ('2026-01-31', 'login', 3), ('2026-02-01', 'login', 4)`,
    );
    expect(await usage.list('2026-01-31', '2026-01-31')).toEqual([
      { day: '2026-01-31', operation: 'login', uses: 3 },
      { day: '2026-01-31', operation: 'x_auth', uses: 2 },
    ]);
    expect(await usage.list('2026-01-30', '2026-02-01')).toHaveLength(4);
  });

  it('are written later if a write failed, and the failure does not reach the caller', async () => {
    usage.note('login');
    await core.rows('ALTER TABLE deprecated_uses RENAME TO unavailable');
    await usage.write();
    await core.rows('ALTER TABLE unavailable RENAME TO deprecated_uses');
    usage.note('login');
    await usage.write();
    expect(await totals()).toEqual({ login: 2 });
  });

  it('are written when the process ends', async () => {
    usage.note('login');
    await usage.onModuleDestroy();
    expect(await totals()).toEqual({ login: 1 });
  });
});

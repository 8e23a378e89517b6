import { DomainError } from '@trading-automation/contracts';
import { CoreUnderTest } from '../testing/index.js';
import { toDomainError } from './to-domain-error.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

const raise = (sqlState: string) =>
  core.rows(`DO $$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '${sqlState}'; END $$`).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an error of the database', () => {
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

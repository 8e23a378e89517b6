/**
 * Creates a database for a test file from a template. Tests with the same schema share one template.
 *
 * 1. The first test process migrates the template; the others wait for it.
 * 2. An incomplete template is never used: it is built under another name and renamed when it is complete.
 * 3. Each database is exclusive to its caller and contains only the rows that the migrations insert.
 */
import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { newUuid } from '../ids.js';

export interface TestDatabaseOptions {
  /** All inputs that determine the result of `migrate`, such as the SQL. A change creates a new template. */
  readonly schema: string | readonly string[];
  /** Migrates the empty database at `url`. Must close every connection that it opens. */
  readonly migrate: (url: string) => Promise<void>;
  /** URL of a superuser. Default: `TEST_DATABASE_URL`. */
  readonly adminUrl?: string;
}

export interface TestDatabase {
  readonly url: string;
  /** Terminates all connections to the database and drops it. */
  drop(): Promise<void>;
}

export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const adminUrl = options.adminUrl ?? process.env.TEST_DATABASE_URL;
  if (adminUrl === undefined)
    throw new Error('TEST_DATABASE_URL is not set. Set it to a Postgres server for the tests.');
  const template = `template_${createHash('sha256').update(JSON.stringify(options.schema)).digest('hex').slice(0, 24)}`;
  const name = `test_${newUuid().replaceAll('-', '')}`;
  await withAdmin(adminUrl, async (admin) => {
    await ensureTemplate(admin, adminUrl, template, options.migrate);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  return {
    url: urlOf(adminUrl, name),
    drop: () =>
      withAdmin(adminUrl, async (admin) => void (await admin.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}

/** Creates the template if it does not exist. */
async function ensureTemplate(
  admin: Client,
  adminUrl: string,
  template: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  await admin.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [template]);
  try {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 1) return;
    const building = `${template}_building`;
    await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${building}`);
    await migrate(urlOf(adminUrl, building));
    await admin.query(`ALTER DATABASE ${building} RENAME TO ${template}`);
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [template]);
  }
}

async function withAdmin(adminUrl: string, work: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

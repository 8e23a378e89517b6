import { Client } from 'pg';
import { newUuid } from '../ids.js';
import { createTestDatabase } from './test-database.js';

async function query(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('createTestDatabase', () => {
  it('migrates once for four concurrent calls, and creates a separate database for each', async () => {
    let migrations = 0;
    const options = {
      schema: ['notes', newUuid()],
      migrate: async (url: string) => {
        migrations++;
        await query(url, 'CREATE TABLE notes (body text)');
      },
    };
    const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase(options)));
    expect(migrations).toBe(1);
    await query(databases[0]!.url, "INSERT INTO notes VALUES ('mine')");
    expect(await query(databases[1]!.url, 'SELECT * FROM notes')).toEqual([]);
    await Promise.all(databases.map((database) => database.drop()));
    await expect(query(databases[0]!.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  });

  it('never uses a template whose migration failed', async () => {
    const schema = ['half', newUuid()];
    const failing = createTestDatabase({
      schema,
      migrate: async (url) => {
        await query(url, 'CREATE TABLE half (body text)');
        throw new Error('migration failed');
      },
    });
    await expect(failing).rejects.toThrow('migration failed');
    const database = await createTestDatabase({
      schema,
      migrate: async (url) => void (await query(url, 'SELECT 1')),
    });
    expect(await query(database.url, "SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
    await database.drop();
  });
});

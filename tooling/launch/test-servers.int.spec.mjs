import { existsSync } from 'node:fs';
import pg from 'pg';
import { startTestServers } from './test-servers.mjs';

describe('the servers of a test run', () => {
  it('allow 200 connections, listen only on 127.0.0.1, do not sync to disk, and leave no files', async () => {
    const servers = await startTestServers({ postgres: true, redis: true });
    const client = new pg.Client({ connectionString: servers.databaseUrl });
    await client.connect();
    const setting = async (name) => (await client.query(`show ${name}`)).rows[0][name];
    const connections = Number(await setting('max_connections'));
    const [addresses, fsync, dataDir] = [
      await setting('listen_addresses'),
      await setting('fsync'),
      await setting('data_directory'),
    ];
    await client.end();
    await servers.stop();
    expect(connections).toBeGreaterThanOrEqual(200);
    expect([addresses, fsync]).toEqual(['127.0.0.1', 'off']);
    expect(existsSync(dataDir)).toBe(false);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, flag, port, readConfig } from './config.js';

const schema = z.object({
  PORT: port.default(4000),
  DATABASE_URL: z.url('expected a URL'),
  ALLOW_LOOPBACK: flag.default(false),
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a setting that switches off a protection', () => {
  const complete = { DATABASE_URL: 'postgres://db/x' };
  const liveSchema = z.object({ WORLD: z.string(), DATABASE_URL: z.url() });
  const problemsInWorld = (WORLD: string, environment: Record<string, string>): readonly string[] => {
    try {
      readConfig(liveSchema, { WORLD, ...complete, ...environment });
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
    return [];
  };

  it.each([
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED'],
    [{ NODE_OPTIONS: '--enable-source-maps --insecure-http-parser' }, 'NODE_OPTIONS'],
    [{ NODE_OPTIONS: '--tls-keylog=/tmp/keys' }, 'NODE_OPTIONS'],
    [{ NODE_OPTIONS: '--insecure_http_parser' }, 'NODE_OPTIONS'],
    [{ NODE_OPTIONS: '--tls_keylog=/tmp/keys' }, 'NODE_OPTIONS'],
  ])('stops the process: %j', (environment, name) => {
    expect(problemsOf({ ...complete, ...environment })).toEqual([
      expect.stringContaining(`${name}: must not`),
    ]);
  });

  it.each([
    [{ NODE_DEBUG: 'http' }, 'NODE_DEBUG'],
    [{ DATABASE_URL: 'postgres://db/x?sslmode=no-verify' }, 'DATABASE_URL'],
  ])('stops the process in the live world alone: %j', (environment, name) => {
    expect(problemsInWorld('test', environment)).toEqual([]);
    expect(problemsInWorld('live', environment)).toEqual([expect.stringContaining(`${name}: must not`)]);
  });

  it('is not a setting that keeps it', () => {
    const harmless = { NODE_TLS_REJECT_UNAUTHORIZED: '1', NODE_OPTIONS: '--enable-source-maps' };
    expect(problemsOf({ ...complete, ...harmless })).toEqual([]);
  });
});

describe('the URL of a server', () => {
  it.each([
    ['postgres://canary#horse@127.0.0.1/db', 'has an @ after its host'],
    ['postgres://canary/horse@127.0.0.1/db', 'has an @ after its host'],
    ['postgres://canary?horse@127.0.0.1/db', 'has an @ after its host'],
    ['postgres:canary@127.0.0.1/db', 'expected ://'],
  ])('is refused without its value if a driver would read the password as the host: %s', (url, problem) => {
    const problems = problemsOf({ DATABASE_URL: url });
    expect(problems).toEqual([expect.stringContaining(`DATABASE_URL: ${problem}`)]);
    expect(problems.join()).not.toContain('canary');
  });

  it.each([
    'postgres://user:pass%23word@127.0.0.1:5432/db',
    'postgres://user@db.example.com/db?application_name=a@b',
    'postgresql:///db?host=/var/run/postgresql',
  ])('is accepted: %s', (url) => expect(problemsOf({ DATABASE_URL: url })).toEqual([]));
});

describe('readConfig', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads the variables of the schema with their types and defaults', () => {
    const config = readConfig(schema, {
      DATABASE_URL: 'postgres://db/x',
      ALLOW_LOOPBACK: 'true',
      OTHER: 'y',
    });
    expect(config).toEqual({ PORT: 4000, DATABASE_URL: 'postgres://db/x', ALLOW_LOOPBACK: true });
  });

  it('reports every invalid variable with its rule, but without its value', () => {
    const problems = problemsOf({ PORT: 'hunter2', ALLOW_LOOPBACK: 'hunter2' });
    expect(problems).toEqual([
      'PORT: expected a port number',
      'DATABASE_URL: is required',
      'ALLOW_LOOPBACK: expected true or false',
    ]);
  });

  it('reads a value from the file whose path is in NAME_FILE', () => {
    writeFileSync(join(folder, 'url'), 'postgres://db/from-file\n');
    expect(readConfig(schema, { DATABASE_URL_FILE: join(folder, 'url') }).DATABASE_URL).toBe(
      'postgres://db/from-file',
    );
  });

  it('rejects a variable that is set both directly and by NAME_FILE', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://db/x', DATABASE_URL_FILE: '/etc/hostname' })).toEqual([
      'DATABASE_URL: is set twice, directly and by DATABASE_URL_FILE; set only one',
    ]);
  });

  it('reports a file that cannot be read', () => {
    expect(problemsOf({ DATABASE_URL_FILE: join(folder, 'absent') })).toEqual([
      'DATABASE_URL: the file of DATABASE_URL_FILE cannot be read',
    ]);
  });
});

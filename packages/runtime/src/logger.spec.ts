import { createLogger, nestLogger } from './logger.js';

function capture() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('rest-api', 'debug', { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, logger };
}

describe('the logger', () => {
  it('adds the service, the name of the level and the time to every line', () => {
    const { lines, logger } = capture();
    logger.info({ event: 'trade.stored', trade_id: 'trd_1' }, 'Stored.');
    expect(lines).toEqual([
      {
        level: 'info',
        service: 'rest-api',
        event: 'trade.stored',
        msg: 'Stored.',
        trade_id: 'trd_1',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it('logs the type, code, message and cause of an error, but no other members that a driver adds', () => {
    const { lines, logger } = capture();
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', config: { apiKey: 'canary' } });
    logger.error({ event: 'sync.failed', err: new Error('sync failed', { cause }) }, 'Could not sync.');
    expect(lines[0]?.err).toMatchObject({
      type: 'Error',
      message: 'sync failed',
      cause: { code: 'ECONNREFUSED' },
    });
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it("logs Nest's messages, the informational ones at level debug", () => {
    const { lines, logger } = capture();
    nestLogger(logger).log('mapped', 'Router');
    nestLogger(logger).warn('careful', 'Router');
    expect(lines.map(({ level, msg, context }) => ({ level, msg, context }))).toEqual([
      { level: 'debug', msg: 'mapped', context: 'Router' },
      { level: 'warn', msg: 'careful', context: 'Router' },
    ]);
  });
});

describe('a log line', () => {
  it('has no field that is not declared, and no value of another form', () => {
    const { lines, logger } = capture();
    const fields = {
      event: 'trade.stored',
      trade_id: 'trd_1',
      account_id: { secret: 'canary' },
      url: 'http://user:canary@127.0.0.1:4000/path?token=canary',
      state: 'line\ncanary',
      jobs: 'canary',
      exchanges: ['paper', { secret: 'canary' }],
      accounts: { live: 2, 'x\ny': 1, secret: 'canary' },
      headers: { authorization: 'canary' },
      password: 'canary',
    };
    logger.info(fields as never, 'Stored "canary".');
    expect(lines).toEqual([
      {
        level: 'info',
        service: 'rest-api',
        time: expect.any(String),
        event: 'trade.stored',
        trade_id: 'trd_1',
        url: 'http://127.0.0.1:4000',
        exchanges: ['paper'],
        accounts: { live: 2 },
        msg: 'Stored ….',
      },
    ]);
  });

  it('describes an error of Postgres by its code and the names of the schema alone', () => {
    const { lines, logger } = capture();
    // Without quotation marks, the value looks like a word of the message.
    const message = 'invalid input syntax for type numeric: canary';
    const driverError = Object.assign(new Error(message), {
      severity: 'ERROR',
      routine: '_bt_check_unique',
      code: '23505',
      detail: 'Key (email)=(canary) already exists.',
      constraint: 'users_email',
      where: 'canary',
    });
    const failed = Object.assign(new Error(message), {
      driverError,
      parameters: ['canary'],
    });
    logger.error({ event: 'request.failed', err: failed }, 'The request failed.');
    expect(lines[0]?.err).toMatchObject({
      code: '23505',
      constraint: 'users_email',
      message: expect.any(String),
    });
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('has neither the values in the text of an error nor the text in its stack', () => {
    const { lines, logger } = capture();
    const cause = new Error('GET https://api.example.com/account?signature=canary 401\n{"key":"canary"}');
    logger.error(
      { event: 'sync.failed', err: new Error('sync of "canary" failed', { cause }) },
      'Could not sync.',
    );
    expect(JSON.stringify(lines)).not.toContain('canary');
    expect(lines[0]?.err).toMatchObject({
      message: 'sync of … failed',
      stack: expect.stringMatching(/^\s+at /),
    });
  });

  it('has no line of a message that looks like one of the stack, and describes the errors of an AggregateError', () => {
    const { lines, logger } = capture();
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const err = new AggregateError([refused], 'failed\n    at canary\n    at canary (file:///a.js:1:1)');
    logger.error({ event: 'sync.failed', err }, 'Could not sync.');
    const described = lines[0]?.err as { stack: string };
    expect(described).toMatchObject({ errors: [{ code: 'ECONNREFUSED' }] });
    expect(described.stack).toMatch(/logger\.spec/);
    expect(described.stack).not.toContain('canary');
  });
});

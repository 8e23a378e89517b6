import { createLogger, nestLogger } from './logger.js';

function capture() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('rest-api', 'debug', { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, logger };
}

describe('the logger', () => {
  it('adds the service, the name of the level and the time to every line', () => {
    const { lines, logger } = capture();
    logger.info({ trade_id: 'trd_1' }, 'stored');
    expect(lines).toEqual([
      {
        level: 'info',
        service: 'rest-api',
        msg: 'stored',
        trade_id: 'trd_1',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it('logs the type, code, message and cause of an error, but no other members that a driver adds', () => {
    const { lines, logger } = capture();
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', config: { apiKey: 'canary' } });
    logger.error({ err: new Error('sync failed', { cause }) }, 'sync failed');
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

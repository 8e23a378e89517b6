import { createLogger, nestLogger } from './logger.js';

function capture() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('rest-api', 'debug', { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, logger };
}

describe('the log', () => {
  it('names the service, the level in words and the time on every line', () => {
    const { lines, logger } = capture();
    logger.info({ trade_id: 'trd_1' }, 'kept');
    expect(lines).toEqual([
      {
        level: 'info',
        service: 'rest-api',
        msg: 'kept',
        trade_id: 'trd_1',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it('shows of an error its type, code, message and cause, and none of the members that a driver hangs on it', () => {
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

  it("takes Nest's messages, those of its wiring at debug level", () => {
    const { lines, logger } = capture();
    nestLogger(logger).log('mapped', 'Router');
    nestLogger(logger).warn('careful', 'Router');
    expect(lines.map(({ level, msg, context }) => ({ level, msg, context }))).toEqual([
      { level: 'debug', msg: 'mapped', context: 'Router' },
      { level: 'warn', msg: 'careful', context: 'Router' },
    ]);
  });
});

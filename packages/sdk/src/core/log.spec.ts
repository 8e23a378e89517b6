import { type LogLevel, leveled } from './log.js';

const NAMES = ['error', 'warn', 'info', 'debug'] as const;

it.each<[LogLevel, readonly string[]]>([
  ['off', []],
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  ['debug', NAMES],
])('a logger with the level %s receives messages of that severity or higher', (level, expected) => {
  class RecordingLogger {
    readonly received: string[] = [];
    error = () => this.note('error');
    warn = () => this.note('warn');
    info = () => this.note('info');
    debug() {
      this.note('debug');
    }
    private note(name: string) {
      this.received.push(name);
    }
  }
  const logger = new RecordingLogger();
  for (const name of NAMES) leveled(logger, level)[name]('it happened');
  expect(logger.received).toEqual(expected);
});

import { type LogLevel, leveled } from './log.js';

const NAMES = ['error', 'warn', 'info', 'debug'] as const;

it.each<[LogLevel, readonly string[]]>([
  ['off', []],
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  ['debug', NAMES],
])('a logger at %s receives messages of that level or more severe', (level, expected) => {
  class Told {
    readonly told: string[] = [];
    error = () => this.note('error');
    warn = () => this.note('warn');
    info = () => this.note('info');
    debug() {
      this.note('debug');
    }
    private note(name: string) {
      this.told.push(name);
    }
  }
  const logger = new Told();
  for (const name of NAMES) leveled(logger, level)[name]('it happened');
  expect(logger.told).toEqual(expected);
});

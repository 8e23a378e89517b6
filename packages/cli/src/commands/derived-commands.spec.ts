import type { OperationInfo } from '../operations/operation-info.js';
import { withDerivedCommands } from './derived-commands.js';

const operationInfo = (method: OperationInfo['method'], path: string, example?: string): OperationInfo => ({
  method,
  path,
  summary: 'A test.',
  access: 'READ',
  query: [],
  body: [],
  members: [],
  ...(example === undefined ? {} : { example }),
});
const operations = {
  'trades.list': operationInfo('GET', '/v1/trades'),
  'trades.get': operationInfo('GET', '/v1/trades/:id', 'trd_1'),
  'deadLetters.retryMany': operationInfo('POST', '/v1/webhooks/:id/dead-letters/retry', 'whk_1'),
  'copiers.list': operationInfo('GET', '/v1/copiers'),
  'copiers.delete': operationInfo('DELETE', '/v1/copiers/:id', 'cpr_1'),
};
const trades = { command: 'my trades', operation: 'trades.list', examples: ['svc my trades'] } as const;
const version = { command: 'version', operation: 'version.get', examples: ['svc version'] } as const;

const commands = withDerivedCommands(operations, [trades, version], { 'copiers.list': 'copies' });

it('an operation without a row has a command with its name and the example of the reference', () => {
  expect(commands).toContainEqual({
    command: 'trades get',
    operation: 'trades.get',
    examples: ['svc trades get trd_1'],
  });
  expect(commands).toContainEqual({
    command: 'dead-letters retry-many',
    operation: 'deadLetters.retryMany',
    examples: ['svc dead-letters retry-many whk_1'],
  });
});

it('an operation with a row or a custom command has no derived command', () => {
  expect(commands.filter(({ operation }) => operation === 'trades.list')).toEqual([trades]);
  expect(commands.map(({ operation }) => operation)).not.toContain('copiers.list');
});

it('a derived command comes after the command of the preceding operation in the contract', () => {
  expect(commands.slice(0, 4).map(({ operation }) => operation)).toEqual([
    'trades.list',
    'trades.get',
    'deadLetters.retryMany',
    'version.get',
  ]);
});

it('a derived DELETE asks for confirmation', () => {
  expect(commands.at(-1)).toMatchObject({
    command: 'copiers delete',
    confirm: { question: 'Delete {id}?', when: 'always' },
  });
});

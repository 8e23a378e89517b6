import { Command } from 'commander';
import { UsageError } from '../failures.js';
import { assertRequired, bodyOf, flagOf, merged, objectOptions, optionOf } from './flags.js';
import type { Field } from './operation-info.js';

const fields: readonly Field[] = [
  { path: 'amount', type: 'decimal', isRequired: true },
  { path: 'side', type: 'text', choices: ['BUY', 'SELL'] },
  { path: 'limits.max_open_trades', type: 'integer', isNullable: true },
  { path: 'limits.allowed_pairs', type: 'text', isList: true },
  { path: 'limits.allowed_sides', type: 'text', isList: true, isNullable: true },
  { path: 'reduce_only', type: 'boolean', default: 'false' },
  { path: 'is_active', type: 'boolean' },
  { path: 'value', type: 'json' },
];

function parsedBody(...argv: readonly string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of [...objectOptions(fields), ...fields.map(optionOf)]) command.addOption(option);
  command.parse(argv, { from: 'user' });
  return bodyOf(fields, command.opts());
}

it('names a flag after its field', () => {
  expect(fields.map(flagOf)).toContain('--limits.max-open-trades');
});

it('keeps all digits of a decimal', () => {
  expect(parsedBody('--amount', '0.100000000000000000000001')).toEqual({
    amount: '0.100000000000000000000001',
  });
});

it('builds nested objects from flags with a path', () => {
  expect(parsedBody('--limits.max-open-trades', '5', '--limits.allowed-pairs', 'BTC/USDT,ETH/USDT')).toEqual({
    limits: { max_open_trades: 5, allowed_pairs: ['BTC/USDT', 'ETH/USDT'] },
  });
});

it('accepts an object as JSON; the flag of a member overrides that member', () => {
  expect(
    parsedBody('--limits', '{"max_open_trades":1,"max_leverage":"2"}', '--limits.max-open-trades', '5'),
  ).toEqual({
    limits: { max_open_trades: 5, max_leverage: '2' },
  });
  expect(() => parsedBody('--limits', '[]')).toThrow(/JSON object/);
});

it('accepts a list as comma-separated values or by repeating the flag', () => {
  expect(parsedBody('--limits.allowed-pairs', 'A/B', '--limits.allowed-pairs', 'C/D,E/F')).toEqual({
    limits: { allowed_pairs: ['A/B', 'C/D', 'E/F'] },
  });
});

it('parses null only for nullable fields', () => {
  expect(parsedBody('--limits.max-open-trades', 'null')).toEqual({ limits: { max_open_trades: null } });
  expect(parsedBody('--limits.allowed-sides', 'null')).toEqual({ limits: { allowed_sides: null } });
  expect(parsedBody('--amount', 'null')).toEqual({ amount: 'null' });
});

it('ignores the case of a choice, and rejects an invalid one', () => {
  expect(parsedBody('--side', 'buy')).toEqual({ side: 'BUY' });
  expect(() => parsedBody('--side', 'hold')).toThrow(/one of BUY, SELL/);
});

it('accepts a boolean with default false without a value, and any other boolean with a value', () => {
  expect(parsedBody('--reduce-only', '--is-active', 'false')).toEqual({
    reduce_only: true,
    is_active: false,
  });
  expect(() => parsedBody('--is-active', 'no')).toThrow(/one of true, false/);
});

it('rejects a fraction for an integer', () => {
  expect(() => parsedBody('--limits.max-open-trades', '1.5')).toThrow(/must be an integer/);
});

it('parses a JSON field as JSON if possible, otherwise as text', () => {
  expect(parsedBody('--value', '{"a":[1]}')).toEqual({ value: { a: [1] } });
  expect(parsedBody('--value', 'dark')).toEqual({ value: 'dark' });
});

it('merges the fields of flags into those of a file, also within objects', () => {
  const file = { amount: '1', limits: { max_open_trades: 1, max_leverage: '2' }, pairs: ['a'] };
  expect(merged(file, { limits: { max_open_trades: 5 }, pairs: ['b'] })).toEqual({
    amount: '1',
    limits: { max_open_trades: 5, max_leverage: '2' },
    pairs: ['b'],
  });
});

it('reports the flag of a missing required field', () => {
  expect(() => assertRequired({ body: fields }, {})).toThrow(new UsageError('--amount is missing.'));
  expect(() => assertRequired({ body: fields }, { amount: '1' })).not.toThrow();
});

/**
 * Derives the command of an operation from the contract: `trades.get` becomes `svc trades get <id>`, and
 * `notifications.readAll` becomes `svc notifications read-all`. The example of the command has the sample input of the
 * API reference. A DELETE asks for confirmation.
 */
import type { OperationId } from '../generated/operations.js';
import type { OperationInfo } from '../operations/operation-info.js';
import type { OperationCommand } from './operation-command.js';

type Operations = Readonly<Partial<Record<OperationId, OperationInfo>>>;

/**
 * Adds a command for each operation that has neither a row nor a custom command. The command is inserted after that of
 * the preceding operation in the contract.
 */
export function withDerivedCommands(
  operations: Operations,
  rows: readonly OperationCommand[],
  custom: Partial<Record<OperationId, string>>,
): readonly OperationCommand[] {
  const commands = [...rows];
  const indexOf = (id: string | undefined) => commands.findIndex(({ operation }) => operation === id);
  const ids = Object.keys(operations) as OperationId[];
  for (const [at, id] of ids.entries()) {
    if (indexOf(id) >= 0 || custom[id] !== undefined) continue;
    const previous = indexOf(ids[at - 1]);
    commands.splice(previous < 0 ? commands.length : previous + 1, 0, derivedCommand(id, operations[id]!));
  }
  return commands;
}

function derivedCommand(id: OperationId, { method, path, example }: OperationInfo): OperationCommand {
  const command = id.split('.').map(kebabCase).join(' ');
  const [, parameter] = /.*:(\w+)/.exec(path) ?? [];
  return {
    command,
    operation: id,
    ...(method === 'DELETE' ? { confirm: { question: `Delete {${parameter}}?`, when: 'always' } } : {}),
    examples: [['svc', command, example].filter((part) => part !== undefined).join(' ')],
  };
}

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

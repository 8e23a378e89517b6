/** Bodies and credentials from a file or from stdin (`-`): what is no flag, or too long for one. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { parseKeepingDigits } from '../json/json-text.js';
import type { OptionValues } from './flags.js';

/** @throws {UsageError} where it can't be read */
export async function textFrom({ terminal }: Pick<Context, 'terminal'>, file: string): Promise<string> {
  if (file === '-') return text(terminal.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** A JSON object. @throws {UsageError} where it is something else; what it holds is not told */
export async function objectFrom(context: Pick<Context, 'terminal'>, file: string): Promise<OptionValues> {
  const where = file === '-' ? 'stdin' : file;
  let found: unknown;
  try {
    found = parseKeepingDigits(await textFrom(context, file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${where} holds no JSON.`);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new UsageError(`${where} holds no JSON object.`);
  return found as OptionValues;
}

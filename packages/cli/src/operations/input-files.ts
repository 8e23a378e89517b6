/** Reads bodies and credentials from a file or from stdin (`-`). */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { parseKeepingDigits } from '../json/json-text.js';
import type { OptionValues } from './flags.js';

/** Reads a file or stdin. @throws {UsageError} if the file cannot be read */
export async function textFrom({ terminal }: Pick<Context, 'terminal'>, file: string): Promise<string> {
  if (file === '-') return text(terminal.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Reads a JSON object. @throws {UsageError} for other content, which the message does not quote: it may be secret */
export async function objectFrom(context: Pick<Context, 'terminal'>, file: string): Promise<OptionValues> {
  const source = file === '-' ? 'stdin' : file;
  let value: unknown;
  try {
    value = parseKeepingDigits(await textFrom(context, file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${source} does not contain valid JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${source} does not contain a JSON object.`);
  return value as OptionValues;
}

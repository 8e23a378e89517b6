/**
 * Configuration, read once from the environment before anything starts.
 *
 * 1. An invalid value stops the process. The message lists every invalid variable and its rule, but no values.
 * 2. `NAME_FILE` is the path of a file with the value of `NAME`, for mounted secrets. Setting both is an error.
 * 3. An empty variable counts as absent.
 * 4. A setting of Node.js or of a driver that switches off a protection stops the process.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { misreadServerUrls } from './server-urls.js';
import { unsafeSettings } from './unsafe-settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment is invalid. `problems` has one line per variable. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads and validates the variables that the schema names. @throws {ConfigError} if any of them is invalid */
export function readConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment = process.env,
): z.output<z.ZodObject<Shape>> {
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const variable = readVariable(name, environment);
    if ('problem' in variable) problems.push(variable.problem);
    else if (variable.value !== undefined) values[name] = variable.value;
  }
  problems.push(...misreadServerUrls(values), ...unsafeSettings(environment, values));
  const parsed = schema.safeParse(values);
  if (parsed.success && problems.length === 0) return parsed.data;
  const reported = new Set(problems.map((problem) => problem.slice(0, problem.indexOf(':'))));
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0] ?? '');
    if (!reported.has(name))
      problems.push(`${name}: ${values[name] === undefined ? 'is required' : issue.message}`);
  }
  throw new ConfigError(problems);
}

function readVariable(
  name: string,
  environment: Environment,
): { value: string | undefined } | { problem: string } {
  const direct = environment[name] || undefined;
  const file = environment[`${name}_FILE`] || undefined;
  if (file === undefined) return { value: direct };
  if (direct !== undefined)
    return { problem: `${name}: is set twice, directly and by ${name}_FILE; set only one` };
  try {
    return { value: readFileSync(file, 'utf8').trimEnd() || undefined };
  } catch {
    return { problem: `${name}: the file of ${name}_FILE cannot be read` };
  }
}

/** Schema of a port to listen on; 0 selects a free port. */
export const port = z.coerce
  .number({ error: 'expected a port number' })
  .int('expected a port number')
  .min(0, 'expected a port number')
  .max(65_535, 'expected a port number');

/** Schema of a variable that is `true` or `false`. */
export const flag = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .transform((value) => value === 'true');

/** Reads the credentials of an exchange from a prompt, a file or stdin. Secrets are never passed as arguments. */
import { Option } from 'commander';
import type { Context } from '../context.js';
import { UsageError } from '../failures.js';
import type { OptionValues } from '../operations/flags.js';
import { objectFrom } from '../operations/input-files.js';

const FILE_FLAG = '--credentials-file <file>';
const FILE_DESCRIPTION = 'JSON with api_key, api_secret and, if needed, passphrase; pass - to read stdin';

export function credentialsOption(need: 'required' | 'optional'): readonly Option[] {
  const file = new Option(FILE_FLAG, FILE_DESCRIPTION);
  return need === 'required' ? [file] : [file, new Option('--credentials', 'prompt for new credentials')];
}

interface Options {
  readonly credentialsFile?: string;
  readonly credentials?: boolean;
  readonly fromFile?: string;
}

/**
 * Reads the credentials. Returns undefined if the body already contains them, or if an update leaves them unchanged.
 */
export async function readCredentials(
  context: Context,
  need: 'required' | 'optional',
  options: OptionValues,
  body: OptionValues,
): Promise<OptionValues | undefined> {
  const { credentialsFile, credentials, fromFile } = options as Options;
  if (credentialsFile === '-' && fromFile === '-')
    throw new UsageError(
      '--from-file and --credentials-file cannot both read stdin. Pass a file name to one of them.',
    );
  if (credentialsFile !== undefined) return objectFrom(context, credentialsFile);
  if (body.credentials !== undefined || (need === 'optional' && credentials !== true)) return undefined;
  const alternative = 'Pass a JSON file with api_key and api_secret as --credentials-file.';
  const api_key = await context.prompts.secret('API key of the exchange', alternative);
  const api_secret = await context.prompts.secret('API secret of the exchange', alternative);
  const passphrase = await context.prompts.secret('Passphrase, if the key has one', alternative);
  return { api_key, api_secret, ...(passphrase ? { passphrase } : {}) };
}

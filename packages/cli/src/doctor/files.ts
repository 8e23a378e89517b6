/** The files of the configuration: they can be read, and by nobody else. */
import type { Environment } from '../environment.js';
import type { ConfigFile } from '../profile/config-file.js';
import { isOpenToOthers, readIfThere } from '../profile/private-file.js';
import { secretFilePath } from '../profile/secrets.js';
import { type Finding, fail, ok } from './check.js';

export async function checkConfig(config: ConfigFile): Promise<Finding> {
  try {
    if ((await readIfThere(config.path)) === undefined)
      return ok('config', `${config.path} is not there yet`);
    await config.read();
    return ok('config', config.path);
  } catch (error) {
    return fail('config', (error as Error).message, `Correct ${config.path}, or remove it and log in again.`);
  }
}

export async function checkSecretFile(environment: Environment): Promise<Finding> {
  const path = secretFilePath(environment);
  if (await isOpenToOthers(path, environment.platform))
    return fail(
      'secrets',
      `${path} can be read by others`,
      `chmod 600 ${path}; then revoke what is in it (svc auth logout --revoke) and log in again.`,
    );
  if ((await readIfThere(path)) === undefined) return ok('secrets', `no file of secrets at ${path}`);
  return ok('secrets', `${path} is yours alone`);
}

/** Checks that the configuration files are readable, and only by the user. */
import type { Environment } from '../environment.js';
import type { ConfigFile } from '../profile/config-file.js';
import { isOpenToOthers, readIfExists } from '../profile/private-file.js';
import { secretFilePath } from '../profile/secrets.js';
import { type Finding, fail, ok } from './check.js';

export async function checkConfig(config: ConfigFile): Promise<Finding> {
  try {
    if ((await readIfExists(config.path)) === undefined)
      return ok('config', `${config.path} does not exist yet`);
    await config.read();
    return ok('config', config.path);
  } catch (error) {
    return fail('config', (error as Error).message, `Fix ${config.path}, or delete it and log in again.`);
  }
}

export async function checkSecretFile(environment: Environment): Promise<Finding> {
  const path = secretFilePath(environment);
  try {
    return await secretFileFinding(path, environment);
  } catch (error) {
    return fail('secrets', (error as Error).message, `Fix ${path}, or delete it and log in again.`);
  }
}

async function secretFileFinding(path: string, environment: Environment): Promise<Finding> {
  if (await isOpenToOthers(path, environment.platform))
    return fail(
      'secrets',
      `${path} is readable by other users`,
      `Run chmod 600 ${path}, revoke the keys in it (svc auth logout --revoke), and log in again.`,
    );
  if ((await readIfExists(path)) === undefined) return ok('secrets', `${path} does not exist`);
  return ok('secrets', `${path} is readable only by you`);
}

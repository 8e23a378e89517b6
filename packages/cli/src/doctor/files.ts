/** Checks that the configuration files are readable, only by the user, and that they can be written. */
import type { Environment } from '../environment.js';
import type { ConfigFile } from '../profile/config-file.js';
import { assertWritable, FOLDER_ADVICE, isOpenToOthers, readIfExists } from '../profile/private-file.js';
import { secretFilePath } from '../profile/secrets.js';
import { type Finding, fail, ok } from './check.js';

export async function checkConfig(config: ConfigFile): Promise<Finding> {
  let isMissing: boolean;
  try {
    isMissing = (await readIfExists(config.path)) === undefined;
    if (!isMissing) await config.read();
  } catch (error) {
    return fail('config', (error as Error).message, `Fix ${config.path}, or delete it and log in again.`);
  }
  try {
    await assertWritable(config.path);
  } catch (error) {
    return fail('config', (error as Error).message, FOLDER_ADVICE);
  }
  return ok('config', isMissing ? `${config.path} does not exist yet` : config.path);
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

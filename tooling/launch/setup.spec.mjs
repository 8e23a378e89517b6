import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { verifyPackageManager } from './setup.mjs';

describe('the pinned package manager', () => {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  it('has the hash of the registry', async () => {
    await expect(verifyPackageManager(packageManager)).resolves.toBeUndefined();
  });

  it('is refused with another hash, without a hash, and if the registry does not have it', async () => {
    const otherHash = packageManager.slice(0, -2) + (packageManager.endsWith('00') ? '11' : '00');
    const [release] = packageManager.split('+');
    await expect(verifyPackageManager(otherHash)).rejects.toThrow('serves another');
    await expect(verifyPackageManager(release)).rejects.toThrow('serves another');
    await expect(verifyPackageManager('pnpm@0.0.0-missing+sha512.00')).rejects.toThrow(
      'could not read the hash',
    );
  });
});

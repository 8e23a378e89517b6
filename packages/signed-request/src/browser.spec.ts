import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as browser from './browser.js';

/** Returns the packages that a source file imports, directly or through relative imports. Fails on `require`, `process` or `Buffer`. */
function packagesImportedBy(
  file: string,
  seen = new Set<string>(),
  packages = new Set<string>(),
): Set<string> {
  if (seen.has(file)) return packages;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, clause, specifier] of source.matchAll(/^(import|export)[^;]*?from '([^']+)';/gms)) {
    if (specifier === undefined || clause === undefined) continue;
    if (!specifier.startsWith('.')) packages.add(specifier);
    else packagesImportedBy(join(dirname(file), specifier.replace(/\.js$/, '.ts')), seen, packages);
  }
  expect(source).not.toMatch(/\b(?:require|createRequire)\(|\b(?:process|Buffer)\.\w/);
  return packages;
}

describe.each(['./browser.ts', './webhooks.ts'])('the browser entry %s', (name) => {
  const entry = fileURLToPath(new URL(name, import.meta.url));

  it('imports only noble: no Node module and no native package', () => {
    const packages = [...packagesImportedBy(entry)];
    expect(packages.length).toBeGreaterThan(0);
    for (const specifier of packages)
      expect(specifier).toMatch(/^@noble\/(hashes\/[a-z0-9]+\.js|secp256k1)$/);
  });

  it('imports packages that import no Node module', () => {
    const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
    for (const specifier of packagesImportedBy(entry)) {
      const path = join(modules, specifier);
      const file = existsSync(join(path, 'index.js')) ? join(path, 'index.js') : path;
      expect(readFileSync(file, 'utf8')).not.toMatch(/from ['"]node:|require\(/);
    }
  });
});

describe('the browser entry', () => {
  it('signs and verifies with noble', () => {
    const privateKey = browser.generatePrivateKey();
    const publicKey = browser.publicKeyOf(privateKey);
    const signature = browser.signMessage('text', privateKey);
    expect(browser.verifyMessage({ message: 'text', signature, publicKey }, browser.nobleEngine)).toBe(true);
    expect(browser.verifyMessage({ message: 'texT', signature, publicKey }, browser.nobleEngine)).toBe(false);
  });
});

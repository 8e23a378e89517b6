import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as browser from './browser.js';

/** Every specifier reachable from a source file through relative imports, type imports left out. */
function reachableFrom(file: string, seen = new Set<string>(), found = new Set<string>()): Set<string> {
  if (seen.has(file)) return found;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, clause, specifier] of source.matchAll(/^(import|export)[^;]*?from '([^']+)';/gms)) {
    if (specifier === undefined || clause === undefined) continue;
    if (!specifier.startsWith('.')) found.add(specifier);
    else reachableFrom(join(dirname(file), specifier.replace(/\.js$/, '.ts')), seen, found);
  }
  expect(source).not.toMatch(/\b(?:require|createRequire)\(|\b(?:process|Buffer)\.\w/);
  return found;
}

describe.each(['./browser.ts', './webhooks.ts'])('the browser entry %s', (name) => {
  const entry = fileURLToPath(new URL(name, import.meta.url));

  it('reaches noble and nothing else: no Node module, no native package', () => {
    const found = [...reachableFrom(entry)];
    expect(found.length).toBeGreaterThan(0);
    for (const specifier of found) expect(specifier).toMatch(/^@noble\/(hashes\/[a-z0-9]+\.js|secp256k1)$/);
  });

  it('reaches no Node module through noble either', () => {
    const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
    for (const specifier of reachableFrom(entry)) {
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

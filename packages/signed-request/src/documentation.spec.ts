import { readFileSync } from 'node:fs';
import { acceptedRequests, privateKeyOfScalar } from '../test/vectors.js';
import { signRequest } from './index.js';

const page = readFileSync(new URL('../../../docs/security/signed-request.md', import.meta.url), 'utf8');
const example = acceptedRequests.vectors.find(({ name }) => page.includes(`the vector "${name}"`));

describe('the worked example of docs/security/signed-request.md', () => {
  it('shows every part of the vector that it names', () => {
    if (example === undefined) throw new Error('the page names no vector');
    const { method, path, body, body_sha256, canonical_string, headers, private_scalar } = example;
    expect(page).toContain(`the scalar ${private_scalar};`);
    expect(page).toContain(`\`\`\`http\n${method} ${path} HTTP/1.1\n\n${body.value}\n\`\`\``);
    expect(page).toContain(`\`\`\`text\n${body_sha256}\n\`\`\``);
    expect(page).toContain(`\`\`\`text\n${canonical_string}\n\`\`\``);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    expect(page).toContain(`\`\`\`http\n${lines.join('\n')}\n\`\`\``);
  });

  it('equals the output of the signer, byte for byte', () => {
    if (example === undefined) throw new Error('the page names no vector');
    const signed = signRequest({
      method: example.method,
      path: example.path,
      body: example.body.value,
      nowMs: Number(example.timestamp),
      nonce: String(example.nonce),
      privateKey: privateKeyOfScalar(example.private_scalar),
    });
    expect(signed).toEqual(example.headers);
  });
});

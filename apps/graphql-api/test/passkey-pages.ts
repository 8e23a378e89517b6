import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { DomainError } from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';

import type { PasskeySignInService } from '@trading-automation/core/sign-in';

const require = createRequire(import.meta.url);

/** The folder of the public client library, whose modules the page imports. */
const LIBRARY = join(dirname(require.resolve('@simplewebauthn/browser')), '..', 'esm');

/**
 * A page with functions that register a passkey and sign in. Each returns the server's response or the browser's
 * error.
 */
const PAGE = `<!doctype html>
<title>Passkeys</title>
<script type="module">
  import { startAuthentication, startRegistration } from '/library/index.js';

  const post = async (path, body) =>
    (await fetch(path, { method: 'POST', body: JSON.stringify(body ?? null) })).json();

  const ceremony = (start, path) => async () => {
    try {
      return await post(path, await start({ optionsJSON: await post(path + '/options') }));
    } catch (error) {
      return { browser: error.name };
    }
  };

  window.register = ceremony(startRegistration, '/register');
  window.login = ceremony(startAuthentication, '/login');
</script>`;

/** Serves the page. The test sets the user who registers. */
export class PasskeyPages {
  actor: Actor | undefined;
  passkeys: PasskeySignInService | undefined;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch((error) => response.destroy(error));
    });
  }

  /** @returns the origin of the page; browsers treat loopback origins as secure */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = String(request.url);
    if (path === '/') {
      response.setHeader('content-type', 'text/html').end(PAGE);
    } else if (/^\/library\/[\w/]+\.js$/.test(path)) {
      const text = await readFile(join(LIBRARY, path.slice('/library/'.length)));
      response.setHeader('content-type', 'text/javascript').end(text);
    } else if (request.method === 'POST') {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(await this.call(path, request)));
    } else {
      response.writeHead(404).end();
    }
  }

  private async call(path: string, request: IncomingMessage): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const credential = JSON.parse(Buffer.concat(chunks).toString());
    const { actor, passkeys } = this;
    if (actor === undefined || passkeys === undefined) throw new Error('the test has set no user');
    try {
      if (path === '/register/options') return await passkeys.registrationOptions(actor);
      if (path === '/register') return await passkeys.register(actor, credential);
      if (path === '/login/options') return await passkeys.loginOptions();
      return await passkeys.login(credential);
    } catch (error) {
      if (error instanceof DomainError) return { rejected: error.code };
      throw error;
    }
  }
}

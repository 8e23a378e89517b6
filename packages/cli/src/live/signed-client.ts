import type { Client } from '@trading-automation/sdk';
import { Realtime, type WebSocketClass } from '@trading-automation/sdk/realtime';
import { WebSocket } from 'ws';
import type { Context } from '../context.js';
import { AuthRequired } from '../failures.js';

/** A client for GraphQL, which takes signed requests alone. @throws {AuthRequired} where the profile has no key pair */
export async function signedClient(context: Context): Promise<Client<'string'>> {
  const client = await context.client();
  if ((await context.signer()) === undefined)
    throw new AuthRequired(
      'This goes through GraphQL, which takes no API keys: it needs a key pair.',
      'Link one to the same account: svc auth login',
    );
  return client;
}

/** Live data for as long as the work goes on. */
export async function withRealtime<T>(
  context: Context,
  work: (live: Realtime<'string'>, client: Client<'string'>) => Promise<T>,
): Promise<T> {
  const client = await signedClient(context);
  const live = new Realtime(client, { webSocketImpl: WebSocket as unknown as WebSocketClass });
  try {
    return await work(live, client);
  } finally {
    await live.close();
  }
}

import type { Context } from '../context.js';
import type { World } from '../profile/settings.js';

/** Whether it is about real money: as the credential or the profile says, else as the API does. */
export async function resolveWorld(context: Pick<Context, 'settings' | 'signal' | 'client'>): Promise<World> {
  const known = context.settings.world;
  if (known !== undefined) return known;
  const { world } = await (await context.client()).me.get({ signal: context.signal });
  return world === 'test' ? 'test' : 'live';
}

import type { Context } from '../context.js';
import type { World } from '../profile/settings.js';

/**
 * Returns the world of the credential or the profile; asks the API if it is unknown. In the live world money is real.
 */
export async function resolveWorld(context: Pick<Context, 'settings' | 'signal' | 'client'>): Promise<World> {
  const known = context.settings.world;
  if (known !== undefined) return known;
  const { world } = await (await context.client()).me.get({ signal: context.signal });
  return world === 'test' ? 'test' : 'live';
}

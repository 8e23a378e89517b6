/**
 * Runs changes of a user's credentials.
 *
 * A change needs ADMIN and takes effect once per Idempotency-Key. It holds the user's lock and fails if the caller's own
 * credential was revoked while the request waited for that lock.
 */
import type { Tx } from '@trading-automation/persistence';
import { assertNotRevoked, lockUser } from '../access/index.js';
import { type Actor, authorise, type CommandRunner } from '../operations/index.js';

export class CredentialChanges {
  constructor(private readonly commands: Pick<CommandRunner, 'run'>) {}

  async run<T>(actor: Actor, effect: (tx: Tx) => Promise<T>): Promise<T> {
    authorise(actor, 'ADMIN');
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
      return effect(tx);
    });
  }
}

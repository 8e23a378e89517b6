import type { DeadLetter, Delivery } from '@trading-automation/sdk';

/** Returns whether a dead letter names the deactivation of its webhook instead of what the receiver did. */
export const isAbandoned = ({ last_error_reason, attempts }: DeadLetter) =>
  last_error_reason === 'webhook_inactive' && attempts > 0;

/** Returns the last attempt of the run that ended in a dead letter. */
export const lastAttemptOf = ({ run }: Pick<DeadLetter, 'run'>, attempts: readonly Delivery[]) =>
  attempts
    .filter((delivery) => delivery.run === run)
    .reduce<Delivery | undefined>(
      (last, delivery) => (last === undefined || delivery.attempt > last.attempt ? delivery : last),
      undefined,
    );

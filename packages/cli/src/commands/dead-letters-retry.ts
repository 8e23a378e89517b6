import type { Register } from '../context.js';
import { UsageError } from '../failures.js';
import { OPERATIONS } from '../generated/operations.js';
import { call } from '../operations/call.js';
import { bodyOf, type OptionValues, optionOf } from '../operations/flags.js';
import { groupIn, withExamples } from './group.js';

const WEBHOOK = 'whk_01k9y3wq8ge3a8p8bf1mq93h57';

/** One command for two operations: retry one dead letter, or many with --all. */
export const registerDeadLettersRetry: Register = (program, run) => {
  const many = OPERATIONS['deadLetters.retryMany'];
  const command = groupIn(program, 'webhooks', 'dead-letters')
    .command('retry')
    .description(
      'Delivers a pending dead letter again. With --all, delivers all pending dead letters of the webhook, or those of a time range or an event type.',
    )
    .argument('<webhook>')
    .argument('[dead-letter]');
  for (const field of many.body) command.addOption(optionOf(field));
  withExamples(
    command,
    `svc webhooks dead-letters retry ${WEBHOOK} dlq_01k9y3wq8ge428p8bf1mq93h57`,
    `svc webhooks dead-letters retry ${WEBHOOK} --all --event-type trade.filled`,
  );
  command.action(
    run<readonly [string, string | undefined], OptionValues>(async (context, [id, dlq_id], options) => {
      const client = await context.client();
      const body = bodyOf(many.body, options);
      if (dlq_id !== undefined) {
        if (Object.keys(body).length > 0)
          throw new UsageError(
            'To retry the dead letters of a time range or an event type, pass --all instead of a dead letter id.',
          );
        const request = { params: { id, dlq_id }, query: {} };
        await context.print.record(await call(context, client, OPERATIONS['deadLetters.retry'], request));
        return;
      }
      if (!context.settings.all)
        throw new UsageError(
          'Pass a dead letter id or --all.',
          `List them with \`svc webhooks dead-letters list ${id}\`.`,
        );
      await context.confirm(`Deliver the pending dead letters of ${id} again?`);
      await context.print.record(await call(context, client, many, { params: { id }, query: {}, body }));
    }),
  );
};

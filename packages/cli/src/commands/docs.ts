import type { Context, Register } from '../context.js';
import { TOPICS, topicURL } from '../dev/pages.js';
import { UsageError } from '../failures.js';
import { withExamples } from './group.js';
import { printAndOpen } from './open.js';

export const registerDocs: Register = (program, run) => {
  const command = program
    .command('docs')
    .summary('open a topic of the reference')
    .description(
      'Prints the address of a topic in the reference and, in a terminal, opens it. Without a topic, lists the topics.',
    )
    .argument('[topic]', Object.keys(TOPICS).join(', '))
    .action(run<readonly [string | undefined], object>((context, [topic]) => openTopic(context, topic)));
  withExamples(command, 'svc docs webhooks');
};

async function openTopic(context: Context, topic: string | undefined): Promise<void> {
  if (topic === undefined) {
    const topics = Object.entries(TOPICS).map(([name, title]) => ({
      name,
      title,
      url: topicURL(context.settings, name),
    }));
    return context.print.records(topics, ['name', 'title', 'url']);
  }
  const url = topicURL(context.settings, topic);
  if (url === undefined)
    throw new UsageError(`Unknown topic: ${topic}.`, `Topics: ${Object.keys(TOPICS).join(', ')}`);
  await printAndOpen(context, url);
}

import type { Context, Register } from '../context.js';
import { TOPICS, topicURL } from '../dev/pages.js';
import { UsageError } from '../failures.js';
import { withExamples } from './group.js';
import { printAndOpen } from './open.js';

export const registerDocs: Register = (program, run) => {
  const command = program
    .command('docs')
    .summary('where the reference treats a topic')
    .description(
      'Prints where the reference treats a topic and, at a terminal, opens it; without one, lists them.',
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
    throw new UsageError(`There is no topic ${topic}.`, `There are: ${Object.keys(TOPICS).join(', ')}`);
  await printAndOpen(context, url);
}

import type { Context, Register } from '../context.js';
import { openInBrowser } from '../dev/browser.js';
import { checkoutAbove, findRunningStack, type Stack } from '../dev/checkout.js';
import { pagesOf } from '../dev/pages.js';
import { NotFound, UsageError } from '../failures.js';
import { withExamples } from './group.js';

export const registerOpen: Register = (program, run) => {
  const command = program
    .command('open')
    .summary('open a page in the browser')
    .description(
      'Prints the address of a page and, in a terminal, opens it. Without a name, lists the pages.',
    )
    .argument('[page]', 'docs, openapi, llms, graphiql, health, dashboard or mail')
    .action(run<readonly [string | undefined], object>((context, [page]) => openPage(context, page)));
  withExamples(command, 'svc open', 'svc open docs');
};

async function openPage(context: Context, name: string | undefined): Promise<void> {
  const pages = pagesOf(context.settings, await localStack(context));
  if (name === undefined)
    return context.print.records(
      pages.filter(({ url }) => url !== undefined),
      ['name', 'url', 'about'],
    );
  const page = pages.find((each) => each.name === name);
  if (page === undefined)
    throw new UsageError(`Unknown page: ${name}.`, `Pages: ${pages.map((each) => each.name).join(', ')}`);
  if (page.url === undefined)
    throw new NotFound(`No local platform with the page ${name} is running.`, 'Start it with `svc dev up`.');
  await printAndOpen(context, page.url);
}

async function localStack({ environment }: Context): Promise<Stack | undefined> {
  const checkout = await checkoutAbove(environment.workingFolder).catch(() => undefined);
  return checkout === undefined ? undefined : findRunningStack(checkout, environment.platform);
}

/** Prints an address and, on an interactive terminal, opens it. */
export async function printAndOpen({ print, terminal, environment }: Context, url: string): Promise<void> {
  await print.line(url);
  if (terminal.isInteractive && !(await openInBrowser(url, environment.platform)))
    print.note('No browser was found. Open the address yourself.');
}

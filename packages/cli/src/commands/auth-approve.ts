/** Approves the sign-in of a browser by the code that it displays. */
import type { Context, Register } from '../context.js';
import { textOf } from '../terminal/text-of.js';
import { groupIn, withExamples } from './group.js';

interface Options {
  readonly permissions?: readonly string[];
}

export const registerApprove: Register = (program, run) => {
  const command = groupIn(program, 'auth')
    .command('approve <code>')
    .description(
      'Shows the sign-in of the browser that displays this code, and approves it after a question.',
    )
    .summary('approve the sign-in of a browser')
    .option('--permissions <permissions...>', 'grant only these of the requested permissions');
  withExamples(command, 'svc auth approve BCDF-GHJK', 'svc auth approve BCDF-GHJK --permissions READ --yes');
  command.action(
    run<readonly [string], Options>((context, [code], options) => approve(context, code, options)),
  );
};

async function approve(context: Context, code: string, { permissions }: Options): Promise<void> {
  const { signal, print } = context;
  const client = await context.client();
  const request = await client.deviceAuthorizations.get(code, { signal });
  const granted = permissions ?? request.permissions;
  print.note(
    `${textOf(request.client_name)} at ${textOf(request.address)} requested ${request.permissions.join(', ')} at ${request.created_at}.`,
  );
  await context.confirm(`Sign it in to your account with ${granted.join(', ')}?`);
  const session = await client.deviceAuthorizations.approve(
    { user_code: code, ...(permissions === undefined ? {} : { permissions: granted as never }) },
    { signal },
  );
  await print.record(session);
}

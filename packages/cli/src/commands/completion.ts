import { Argument } from 'commander';
import { BASH_WORDS } from '../completion/bash-words.js';
import { completionOf } from '../completion/complete.js';
import type { Register } from '../context.js';
import { withExamples } from './group.js';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const registerCompletion: Register = (program, run) => {
  const command = program
    .command('completion')
    .description(
      'Prints a completion script for commands, flags and the ids that you listed in the last hour.',
    )
    .summary('print a shell completion script')
    .addArgument(new Argument('<shell>').choices(SHELLS));
  withExamples(
    command,
    'source <(svc completion bash)',
    'svc completion zsh > "$' + '{fpath[1]}/_svc"',
    'svc completion fish > ~/.config/fish/completions/svc.fish',
    'svc completion powershell | Out-String | Invoke-Expression',
  );
  command.action(
    run<readonly [string]>(async ({ print }, [shell]) => {
      if (shell === 'bash') await print.line(BASH_WORDS);
      (await completionOf(program)).setup('svc', 'svc', shell);
    }),
  );
};

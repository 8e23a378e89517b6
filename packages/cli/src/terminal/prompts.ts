/**
 * Prompts the user on stderr, because stdout is for data. Without an interactive terminal, a prompt throws. Ctrl-C at a
 * prompt ends the command. Control characters in questions and choices are escaped.
 */
import { PassThrough } from 'node:stream';
import { type CANCEL_SYMBOL, confirm, isCancel, password, select, text } from '@clack/prompts';
import { Interrupted, UsageError } from '../failures.js';
import type { Terminal } from './terminal.js';
import { safeLine } from './text-of.js';

export interface Prompts {
  /** @param alternative how to pass the value without a prompt; shown if the terminal is not interactive */
  text(question: string, alternative: string, fallback?: string): Promise<string>;
  /** Prompts without showing what is typed. */
  secret(question: string, alternative: string): Promise<string>;
  choose<T extends string>(
    question: string,
    choices: readonly { readonly value: T; readonly label: string }[],
    alternative: string,
  ): Promise<T>;
  yesOrNo(question: string, alternative: string): Promise<boolean>;
}

export class TerminalPrompts implements Prompts {
  constructor(
    private readonly terminal: Terminal,
    private readonly signal: AbortSignal,
  ) {}

  async text(question: string, alternative: string, fallback?: string): Promise<string> {
    const shown = fallback === undefined ? {} : { placeholder: fallback, defaultValue: fallback };
    return this.ask(alternative, (common) => text({ message: safeLine(question), ...shown, ...common }));
  }

  async secret(question: string, alternative: string): Promise<string> {
    return this.ask(alternative, (common) =>
      password({ message: safeLine(question), mask: this.terminal.hasUnicode ? '•' : '*', ...common }),
    );
  }

  async choose<T extends string>(
    question: string,
    choices: readonly { readonly value: T; readonly label: string }[],
    alternative: string,
  ): Promise<T> {
    return this.ask(alternative, (common) =>
      select<string>({
        message: safeLine(question),
        options: choices.map(({ value, label }) => ({ value, label: safeLine(label) })),
        ...common,
      }),
    ) as Promise<T>;
  }

  async yesOrNo(question: string, alternative: string): Promise<boolean> {
    return this.ask(alternative, (common) =>
      confirm({ message: safeLine(question), initialValue: false, ...common }),
    );
  }

  private async ask<T>(
    alternative: string,
    prompt: (common: CommonOptions) => Promise<T | typeof CANCEL_SYMBOL>,
  ): Promise<T> {
    if (!this.terminal.isInteractive)
      throw new UsageError('Cannot prompt: the terminal is not interactive.', alternative);
    const answer = await prompt({
      input: this.terminal.stdin as CommonOptions['input'],
      output: plainOutput(this.terminal),
      signal: this.signal,
    });
    if (isCancel(answer)) throw new Interrupted();
    return answer;
  }
}

type CommonOptions = NonNullable<Pick<Parameters<typeof text>[0], 'input' | 'output' | 'signal'>>;

/** Removes colours and Unicode characters that the terminal does not support. The prompt library always writes them. */
function plainOutput({ stderr, stderrColors, hasUnicode }: Terminal): PassThrough {
  const output = new PassThrough();
  output.on('data', (chunk: Buffer) => {
    const colored = chunk.toString('utf8');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes start with one
    const shown = stderrColors.isColorSupported ? colored : colored.replace(/\u001b\[[\d;]*m/g, '');
    stderr.write(hasUnicode ? shown : asciiOf(shown));
  });
  return Object.assign(output, { isTTY: true, columns: stderr.columns ?? 80, rows: 24 });
}

const ASCII: Readonly<Record<string, string>> = {
  '◆': '*',
  '◇': 'o',
  '■': 'x',
  '▲': '!',
  '│': '|',
  '└': '\\',
  '●': '>',
  '○': ' ',
  '▪': '*',
  '…': '...',
  '↑': '^',
  '↓': 'v',
  '•': '-',
};

function asciiOf(text: string): string {
  return text.replace(/\P{ASCII}/gu, (character) => ASCII[character] ?? '?');
}

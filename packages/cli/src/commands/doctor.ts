import type { Context, Register } from '../context.js';
import { checkApi, checkCredential, checkGraphql } from '../doctor/api.js';
import { type Finding, fail, warn } from '../doctor/check.js';
import { checkConfig, checkSecretFile } from '../doctor/files.js';
import { checkDns, checkEncryption } from '../doctor/network.js';
import { checkNode } from '../doctor/version.js';
import { AuthRequired, EXIT, QuietExit, UsageError } from '../failures.js';
import { graphqlAddress } from '../live/graphql-address.js';
import { safeLine } from '../terminal/text-of.js';
import { withExamples } from './group.js';

export const registerDoctor: Register = (program, run) => {
  const command = program
    .command('doctor')
    .summary('diagnose problems')
    .description(
      'Checks this machine, its clock, the connection to the API and the credential. Each problem is printed with its resolution. The exit code is 1 if a check fails.',
    )
    .action(run((context) => runDoctor(context)));
  withExamples(command, 'svc doctor', 'svc doctor --debug-signature', 'svc doctor --json check,status');
};

async function runDoctor(context: Context): Promise<void> {
  const findings: Finding[] = [];
  const isJson = context.settings.json !== undefined;
  for await (const finding of findingsOf(context)) {
    findings.push(finding);
    if (!isJson) await context.print.line(lineOf(context, finding));
  }
  if (isJson) await context.print.records(findings, ['check', 'status', 'found', 'resolution']);
  if (findings.some(({ status }) => status === 'fail')) throw new QuietExit(EXIT.failure);
}

/** Runs the checks in order. Ends after a failed check on which the later ones depend. */
async function* findingsOf(context: Context): AsyncGenerator<Finding, void, undefined> {
  const { config, environment, settings, signal } = context;
  yield checkNode(process.versions.node);
  yield await checkConfig(config);
  yield await checkSecretFile(environment);
  const { baseURL } = settings;
  const origin = baseURL !== undefined && URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (origin === undefined) {
    const found = baseURL === undefined ? 'no address is configured' : `${baseURL} is not a URL`;
    yield fail(
      'base url',
      found,
      'Pass --base-url, set SVC_BASE_URL, or log in: svc auth login --base-url URL',
    );
    return;
  }
  const dnsFinding = await checkDns(origin);
  yield dnsFinding;
  if (dnsFinding.status === 'fail') return;
  yield await checkEncryption(origin);
  const apiFindings = await checkApi(context.anonymousClient(), origin.origin, signal);
  yield* apiFindings;
  if (apiFindings.some(({ check, status }) => check === 'api' && status === 'fail')) return;
  yield* await credentialFindings(context);
  yield await checkGraphql(environment.fetch, graphqlAddress(settings), signal);
}

async function credentialFindings(context: Context): Promise<readonly Finding[]> {
  try {
    const client = await context.client();
    const [signer, apiKey] = [await context.signer(), await context.apiKey()];
    return await checkCredential(client, { signer, apiKey }, context.signal);
  } catch (error) {
    if (error instanceof UsageError)
      return [fail('credential', error.message, error.resolution ?? 'Log in again: svc auth login')];
    if (!(error instanceof AuthRequired)) throw error;
    return [warn('credential', error.message, error.resolution ?? 'svc auth login')];
  }
}

function lineOf({ terminal }: Context, { check, status, found, resolution }: Finding): string {
  const { colors, isScreen, hasUnicode } = terminal;
  if (!isScreen) return [status, check, found, resolution ?? ''].map(safeLine).join('\t');
  const color = { ok: colors.green, warn: colors.yellow, fail: colors.red }[status];
  const first = `${color(status.padEnd(4))}  ${check.padEnd(10)}  ${safeLine(found)}`;
  return resolution === null
    ? first
    : `${first}\n${' '.repeat(18)}${colors.dim(`${hasUnicode ? '→' : '->'} ${safeLine(resolution)}`)}`;
}

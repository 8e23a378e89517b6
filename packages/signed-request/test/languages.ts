/**
 * The commands that run the examples of the guides in each language. A language whose runtime is missing on this machine has
 * no programs. A language without a library for secp256k1 has all programs except `sign`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program and its first arguments. */
export type Command = readonly [program: string, ...args: string[]];

export interface Programs {
  /** Takes id, timestamp, signature and the current time in seconds as arguments, and the body on stdin. Exits with 0 or 1. */
  readonly verify: Command;
  /** Takes method, path, timestamp and nonce as arguments, and the body on stdin. Prints the canonical string. */
  readonly canonical: Command;
  /** Takes the same input as `canonical`. Prints the headers. */
  readonly sign: Command | undefined;
}

export interface Language {
  readonly name: string;
  /** Whether the program uses the nonce k of RFC 6979, so that the same request gets the same signature. */
  readonly isDeterministic: boolean;
  /** Undefined if the runtime is missing. */
  readonly programs: Programs | undefined;
}

export interface Run {
  readonly args: readonly string[];
  readonly body: Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url));
const example = (name: string) => join(EXAMPLES, name);

export function runProgram([program, ...firstArgs]: Command, { args, body, env }: Run): Ran {
  const { status, stdout, stderr } = spawnSync(program, [...firstArgs, ...args], {
    input: body,
    encoding: 'utf8',
    // Python would write `__pycache__` into the folder of the examples.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  return { status, stdout, stderr };
}

/** Returns whether a command exits with 0. GOPROXY=off makes Go use only modules that were downloaded before. */
function succeeds([program, ...args]: Command, cwd = EXAMPLES): boolean {
  const env = { ...process.env, GOPROXY: 'off', GOSUMDB: 'off', GOFLAGS: '-mod=mod' };
  return spawnSync(program, args, { cwd, env, stdio: 'ignore' }).status === 0;
}

const javascript: Programs = {
  verify: [process.execPath, example('javascript/verify-webhook.mjs')],
  canonical: [
    process.execPath,
    '--input-type=module',
    '--eval',
    `import { readFileSync } from 'node:fs';
     const { canonicalString } = await import(${JSON.stringify(example('javascript/sign-request.mjs'))});
     const [, method, path, timestamp, nonce] = process.argv;
     process.stdout.write(canonicalString({ method, path, timestamp, nonce, body: readFileSync(0) }));`,
    '--',
  ],
  sign: [process.execPath, example('javascript/sign-request.mjs')],
};

function python(): Programs | undefined {
  if (!succeeds(['python3', '--version'])) return undefined;
  const canonical = `import sys
sys.path.insert(0, sys.argv.pop(1))
from canonical_string import canonical_string
sys.stdout.write(canonical_string(*sys.argv[1:], sys.stdin.buffer.read()))`;
  const library = `from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256
ECDSA(SHA256(), deterministic_signing=True)`;
  return {
    verify: ['python3', example('python/verify_webhook.py')],
    canonical: ['python3', '-c', canonical, example('python')],
    sign: succeeds(['python3', '-c', library]) ? ['python3', example('python/sign_request.py')] : undefined,
  };
}

function go(folder: string): Programs | undefined {
  if (!succeeds(['go', 'version'])) return undefined;
  const [verify, canonical, sign] = ['verify', 'canonical', 'sign'].map((name) => join(folder, 'bin', name));
  const [signing, driver] = [join(folder, 'go-sign'), join(folder, 'go-canonical')];
  cpSync(example('go/sign-request'), signing, { recursive: true });
  mkdirSync(driver);
  cpSync(example('go/sign-request/canonical.go'), join(driver, 'canonical.go'));
  writeFileSync(
    join(driver, 'main.go'),
    `package main
import ("fmt"; "io"; "os")
func main() {
  body, _ := io.ReadAll(os.Stdin)
  fmt.Print(CanonicalString(os.Args[1], os.Args[2], os.Args[3], os.Args[4], body))
}`,
  );
  const isBuilt = (out: string | undefined, from: string[], cwd: string) =>
    succeeds(['go', 'build', '-o', String(out), ...from], cwd);
  if (!isBuilt(verify, ['main.go'], example('go/verify-webhook')))
    throw new Error('go/verify-webhook does not compile');
  if (!isBuilt(canonical, ['main.go', 'canonical.go'], driver))
    throw new Error('go/sign-request/canonical.go does not compile');
  const hasLibrary = succeeds(['go', 'mod', 'download'], signing);
  if (hasLibrary && !isBuilt(sign, ['.'], signing)) throw new Error('go/sign-request does not compile');
  return {
    verify: [String(verify)],
    canonical: [String(canonical)],
    sign: hasLibrary ? [String(sign)] : undefined,
  };
}

/** The compiler finds the secp256k1 library, Bouncy Castle, if the variable CLASSPATH contains it. */
function java(folder: string): Programs | undefined {
  if (!succeeds(['javac', '-version'])) return undefined;
  const out = join(folder, 'java');
  const driver = join(folder, 'Driver.java');
  writeFileSync(
    driver,
    `public class Driver {
  public static void main(String[] args) throws Exception {
    byte[] body = System.in.readAllBytes();
    System.out.print(CanonicalString.of(args[0], args[1], args[2], args[3], body));
  }
}`,
  );
  const classPath = [out, process.env.CLASSPATH].filter(Boolean).join(':');
  const isCompiled = (...files: string[]) => succeeds(['javac', '-cp', classPath, '-d', out, ...files]);
  const sources = ['java/VerifyWebhook.java', 'java/CanonicalString.java'].map(example);
  if (!isCompiled(...sources, driver)) throw new Error('examples/java does not compile');
  const probe = join(folder, 'Probe.java');
  writeFileSync(probe, 'class Probe { org.bouncycastle.crypto.signers.ECDSASigner signer; }');
  const hasLibrary = isCompiled(probe);
  if (hasLibrary && !isCompiled(example('java/SignRequest.java')))
    throw new Error('SignRequest.java does not compile');
  const run = (main: string): Command => [
    'java',
    '-Xshare:auto',
    '-XX:TieredStopAtLevel=1',
    '-cp',
    classPath,
    main,
  ];
  return {
    verify: run('VerifyWebhook'),
    canonical: run('Driver'),
    sign: hasLibrary ? run('SignRequest') : undefined,
  };
}

function php(): Programs | undefined {
  if (!succeeds(['php', '--version'])) return undefined;
  const canonical = `require $argv[1];
echo canonical_string($argv[2], $argv[3], $argv[4], $argv[5], file_get_contents('php://stdin'));`;
  const library = "exit(extension_loaded('openssl') && extension_loaded('gmp') ? 0 : 1);";
  return {
    verify: ['php', example('php/verify_webhook.php')],
    canonical: ['php', '-r', canonical, '--', example('php/sign_request.php')],
    sign: succeeds(['php', '-r', library]) ? ['php', example('php/sign_request.php')] : undefined,
  };
}

/** The folder of the compiled programs. */
const folder = mkdtempSync(join(tmpdir(), 'signed-request-examples-'));
mkdirSync(join(folder, 'bin'));

export const LANGUAGES: readonly Language[] = [
  { name: 'JavaScript', isDeterministic: false, programs: javascript },
  { name: 'Python', isDeterministic: true, programs: python() },
  { name: 'Go', isDeterministic: true, programs: go(folder) },
  { name: 'Java', isDeterministic: true, programs: java(folder) },
  { name: 'PHP', isDeterministic: false, programs: php() },
];

/** Removes the compiled programs. Call it after the last run. */
export const removePrograms = () => rmSync(folder, { recursive: true, force: true });

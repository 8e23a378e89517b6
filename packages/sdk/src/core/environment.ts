/** Environment variables. Browsers and some edge runtimes have none. */

/** Returns the value of a variable; undefined if it is empty or the runtime has no environment. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

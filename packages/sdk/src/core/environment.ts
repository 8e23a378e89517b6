/** The variables that the process was started with, which browsers and some of the edge do not have. */

/** A variable's value; undefined where it is empty, or where there is no environment. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

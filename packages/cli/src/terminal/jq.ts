/** Runs jq, which is loaded on first use, because it is megabytes of WebAssembly. */
import { UsageError } from '../failures.js';

/** Applies a jq filter; strings are printed without quotes. @throws {UsageError} if the filter is invalid or fails */
export async function applyFilter(data: unknown, filter: string): Promise<string> {
  const { raw } = await import('jq-wasm');
  try {
    return await raw(JSON.stringify(data), filter, ['-r']);
  } catch (error) {
    const jqError = (error as Error).message.split('\n').find((line) => line.startsWith('jq:'));
    if (jqError?.includes('compile error') || jqError?.includes('syntax error'))
      throw new UsageError(`--jq is not a valid jq filter: ${jqError}`);
    throw new UsageError(`--jq: ${jqError ?? (error as Error).message}`);
  }
}

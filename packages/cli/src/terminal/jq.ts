/** jq, loaded where it is asked for: it is megabytes of WebAssembly. */
import { Failure, UsageError } from '../failures.js';

/** What a filter makes of JSON, texts without their quotes. @throws {UsageError} where the filter is wrong */
export async function filtered(data: unknown, filter: string): Promise<string> {
  const { raw } = await import('jq-wasm');
  try {
    return await raw(JSON.stringify(data), filter, ['-r']);
  } catch (error) {
    const said = (error as Error).message.split('\n').find((line) => line.startsWith('jq:'));
    if (said?.includes('compile error') || said?.includes('syntax error'))
      throw new UsageError(`--jq is no filter that jq understands: ${said}`);
    throw new Failure(`--jq: ${said ?? (error as Error).message}`);
  }
}

/** Scrapes metrics over HTTP as Prometheus does, and parses its text format 0.0.4. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const COMMENT = /^# (HELP|TYPE) (\S+) (.+)$/;
const SAMPLE = /^([a-z_:][\w:]*)(?:\{((?:[a-z_]\w*="[^"\\]*",?)+)\})? (\S+)$/i;

export interface Page {
  /** The type of each metric, by the name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  /** Returns the samples of a metric, keyed by the values of their labels, or by '' if they have no labels. */
  values(name: string): Record<string, number>;
}

/** Scrapes the metrics page at a port. @throws if a line does not match the format */
export async function scrape(port: number): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const helps = new Map<string, string>();
  const types = new Map<string, string>();
  const samples = new Map<string, Record<string, number>>();
  for (const line of (await response.text()).split('\n').filter((text) => text !== '')) {
    const [, kind, metric = '', text = ''] = COMMENT.exec(line) ?? [];
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (kind === 'HELP') helps.set(metric, text);
    else if (kind === 'TYPE') types.set(metric, text);
    else if (name === '') throw new Error(`the line does not match the format: ${line}`);
    else {
      const label = [...labels.matchAll(/="([^"]*)"/g)].map(([, labelValue]) => labelValue).join(' ');
      samples.set(name, { ...samples.get(name), [label]: value === '+Inf' ? Infinity : Number(value) });
    }
  }
  expect([...types.keys()]).toEqual([...helps.keys()]);
  return { types, values: (name) => samples.get(name) ?? {} };
}

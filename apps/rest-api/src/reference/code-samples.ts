/** Renders sample requests as code. The code reads the API key and the API's origin from environment variables. */
import { storesResponse } from '@trading-automation/contracts';
import { exampleOf, resolve, type Sample } from '@trading-automation/contracts/samples';
import type { Json, JsonObject } from './json.js';

interface SampleRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: Json | undefined;
  readonly needsKey: boolean;
  readonly storesResponse: boolean;
}

/** Returns the request of a sample. Example values replace its references to other samples. */
export function sampleRequest({ operation, params = {}, query = {}, body }: Sample): SampleRequest {
  const values = resolve(params, exampleOf);
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name]!));
  const search = new URLSearchParams(resolve(query, exampleOf)).toString();
  return {
    method: operation.method,
    target: search === '' ? path : `${path}?${search}`,
    body: resolve(body, exampleOf) as Json | undefined,
    storesResponse: storesResponse(operation),
    needsKey: operation.access !== 'PUBLIC' && operation.access !== 'CHALLENGE',
  };
}

/** Returns the `x-codeSamples` of an operation. */
export function codeSamples(sample: Sample): readonly JsonObject[] {
  const request = sampleRequest(sample);
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    { lang: 'JavaScript', label: 'fetch', source: javascript(request) },
  ];
}

function curl({ method, target, body, needsKey, storesResponse: hasKey }: SampleRequest): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$API_URL${target}"`,
    ...(needsKey ? ['-H "X-API-Key: $API_KEY"'] : []),
    ...(hasKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : [
          '-H "Content-Type: application/json"',
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ];
  return lines.join(' \\\n  ');
}

function javascript({ method, target, body, needsKey, storesResponse: hasKey }: SampleRequest): string {
  const headers = [
    ...(needsKey ? ["'X-API-Key': process.env.API_KEY"] : []),
    ...(hasKey ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ];
  const address = `\`\${process.env.API_URL}${target}\``;
  const call = options.length === 0 ? `fetch(${address})` : `fetch(${address}, {\n${options.join('\n')}\n})`;
  return `const response = await ${call};\nconst { data } = await response.json();`;
}

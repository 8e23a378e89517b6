/** Finds the operation of a request. */
import { OPERATIONS, type OperationId } from '../generated/operations.js';

export interface Route {
  readonly operation: OperationId;
  readonly kind: 'record' | 'list' | 'stream';
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly operation: OperationId;
  readonly kind: Route['kind'];
  readonly method: string;
  readonly segments: readonly string[];
}

/** Sorted by number of parameters, so that `/trades/analytics` matches before `/trades/:id`. */
const PATTERNS: readonly Pattern[] = (Object.keys(OPERATIONS) as OperationId[])
  .map((operation): Pattern => {
    const [method, path, kind = 'record'] = OPERATIONS[operation];
    return { operation, kind, method, segments: path.split('/') };
  })
  .sort((one, other) => parametersIn(one) - parametersIn(other));

function parametersIn({ segments }: Pattern): number {
  return segments.filter((segment) => segment.startsWith(':')).length;
}

/** Returns the route of a request; undefined if no operation has this method and path. */
export function routeOf(method: string, path: string): Route | undefined {
  const actual = path.split('/');
  for (const { operation, kind, method: routeMethod, segments } of PATTERNS) {
    if (routeMethod !== method || segments.length !== actual.length) continue;
    const isMatch = segments.every((segment, at) => segment.startsWith(':') || segment === actual[at]);
    if (!isMatch) continue;
    const named = segments.flatMap((segment, at) =>
      segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(actual[at]!)] as const] : [],
    );
    return { operation, kind, params: Object.fromEntries(named) };
  }
  return undefined;
}

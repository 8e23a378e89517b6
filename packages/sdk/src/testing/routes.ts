/** Which operation a request asks for. */
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

/** Those with fewer parameters first: `/trades/analytics` is no trade. */
const PATTERNS: readonly Pattern[] = (Object.keys(OPERATIONS) as OperationId[])
  .map((operation): Pattern => {
    const [method, path, kind = 'record'] = OPERATIONS[operation];
    return { operation, kind, method, segments: path.split('/') };
  })
  .sort((one, other) => parametersIn(one) - parametersIn(other));

function parametersIn({ segments }: Pattern): number {
  return segments.filter((segment) => segment.startsWith(':')).length;
}

/** Undefined where no operation has this method and path. */
export function routeOf(method: string, path: string): Route | undefined {
  const given = path.split('/');
  for (const { operation, kind, method: its, segments } of PATTERNS) {
    if (its !== method || segments.length !== given.length) continue;
    const fits = segments.every((segment, at) => segment.startsWith(':') || segment === given[at]);
    if (!fits) continue;
    const named = segments.flatMap((segment, at) =>
      segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(given[at]!)] as const] : [],
    );
    return { operation, kind, params: Object.fromEntries(named) };
  }
  return undefined;
}

/**
 * Where the operations are: each at its path under `/v1` and, as a legacy alias, without the prefix.
 *
 * 1. A path is compared as it was sent, byte for byte: no case folding, no decoding, no merging of slashes, no
 *    trailing slash. A router that decodes first would serve what nobody signed.
 * 2. Every answer at an alias names its successor, refusals too.
 */
import { DomainError, type Operation, REMOVED_NAMESPACES } from '@trading-automation/contracts';

export const PREFIX = '/v1';
/** When the unprefixed paths became legacy: 2026-01-01, as RFC 9745 writes an instant. */
const DEPRECATED_SINCE = '@1767225600';

type Headers = Readonly<Record<string, string>>;

/** One path that operations answer at. */
export interface RoutePath {
  /** With parameters as `:name`. */
  readonly path: string;
  readonly isAlias: boolean;
  /** The values of the parameters, decoded, or null where the path is another one. */
  match(path: string): Readonly<Record<string, string>> | null;
}

/** The path of a request target: all of it before the query. */
export function pathOf(target: string): string {
  const at = target.indexOf('?');
  return at < 0 ? target : target.slice(0, at);
}

/** Both paths of an operation. */
export function pathsOf({ path }: Operation): readonly [RoutePath, RoutePath] {
  return [routePath(path, false), routePath(path.slice(PREFIX.length), true)];
}

function routePath(path: string, isAlias: boolean): RoutePath {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  if (names.length === 0) return { path, isAlias, match: (given) => (given === path ? {} : null) };
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`);
  const match = (given: string) => {
    const values = pattern.exec(given);
    return values && Object.fromEntries(names.map((name, i) => [name, decoded(values[i + 1]!)]));
  };
  return { path, isAlias, match };
}

/** A value that can't be decoded stays as it is, and names no record. */
function decoded(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A path as a header may carry it, whatever was sent. */
export function headerSafe(path: string): string {
  return path.replace(/[^\w./~%:@!$&'()*+,;=-]/g, encodeURIComponent);
}

/** What an answer at a legacy alias says of it. */
export function aliasHeaders(path: string): Headers {
  return { deprecation: DEPRECATED_SINCE, link: `<${headerSafe(PREFIX + path)}>; rel="successor-version"` };
}

/** Why no operation answers. */
export interface RouteError {
  readonly error: DomainError;
  readonly headers: Headers;
}

export class RouteTable {
  private readonly methods = new Map<string, { path: RoutePath; methods: string[] }>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      for (const path of pathsOf(operation)) {
        const known = this.methods.get(path.path) ?? { path, methods: [] };
        known.methods.push(...(operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]));
        this.methods.set(path.path, known);
      }
    }
  }

  /** The methods of a path, as `Allow` lists them; empty where there is no such path. */
  allowed(path: string): readonly string[] {
    return [...new Set(this.found(path).flatMap(({ methods }) => methods))];
  }

  /** The refusal of a request that no operation answers. */
  errorFor(target: string): RouteError {
    const path = pathOf(target);
    const found = this.found(path);
    const [first] = found;
    if (first !== undefined) {
      const allow = [...this.allowed(path), 'OPTIONS'].join(', ');
      const alias = first.path.isAlias ? aliasHeaders(path) : {};
      return { error: new DomainError('method_not_allowed'), headers: { allow, ...alias } };
    }
    return { error: new DomainError(isRemoved(path) ? 'namespace_removed' : 'route_not_found'), headers: {} };
  }

  private found(path: string) {
    return [...this.methods.values()].filter((entry) => entry.path.match(path) !== null);
  }
}

function isRemoved(path: string): boolean {
  return REMOVED_NAMESPACES.some((namespace) =>
    [namespace, namespace.slice(PREFIX.length)].some((root) => path === root || path.startsWith(`${root}/`)),
  );
}

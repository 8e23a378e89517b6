/** Compares JSON that a dialect renders with recorded JSON: the same fields, of the same JSON types. */

type Shape =
  | { readonly type: 'string' | 'number' | 'boolean' }
  /** Null, or unknown because only an empty list was recorded. */
  | { readonly type: 'any' }
  /** Values of several types were recorded. */
  | { readonly type: 'mixed' }
  | { readonly type: 'array'; readonly items: Shape }
  | {
      readonly type: 'object';
      readonly fields: ReadonlyMap<string, Shape>;
      readonly optional: ReadonlySet<string>;
    };

export interface ShapeExceptions {
  /**
   * Fields that the documentation describes and the recording lacks, or that have another type there. A path names the
   * fields from the root, without positions in lists: `result.list.cursor`. It covers the fields inside, too.
   */
  readonly documented?: readonly string[] | undefined;
  /**
   * Objects whose keys are ids. Their members that are objects or lists are compared with each other, under the name
   * `*`: `result.*.price`.
   */
  readonly maps?: readonly string[] | undefined;
}

/** Returns a sentence for each difference between a rendered value and recorded ones; none if they agree. */
export function shapeDifferences(
  rendered: unknown,
  recorded: readonly unknown[],
  { documented = [], maps = [] }: ShapeExceptions = {},
): readonly string[] {
  const shape = recorded.map((each) => shapeOf(withoutIds(each, maps))).reduce(mergeShapes);
  return differences(withoutIds(rendered, maps), shape, '')
    .filter(({ path }) => !documented.some((each) => path === each || path.startsWith(`${each}.`)))
    .map(({ path, problem }) => `${path === '' ? 'the answer' : path}: ${problem}`);
}

/** Replaces the keys of maps by `*`. */
function withoutIds(value: unknown, maps: readonly string[], path = ''): unknown {
  if (typeof value !== 'object' || value === null || maps.length === 0) return value;
  if (Array.isArray(value)) return value.map((each) => withoutIds(each, maps, path));
  const within = (name: string) => (path === '' ? name : `${path}.${name}`);
  const isMap = maps.includes(path);
  const entries = Object.entries(value).map(([name, each]): [string, unknown] => [
    isMap && typeof each === 'object' && each !== null ? '*' : name,
    withoutIds(each, maps, within(name)),
  ]);
  const members = entries.filter(([name]) => name === '*').map(([, each]) => each);
  const others = Object.fromEntries(entries.filter(([name]) => name !== '*'));
  return isMap ? { ...others, '*': members } : others;
}

function shapeOf(value: unknown): Shape {
  if (value === null) return { type: 'any' };
  if (Array.isArray(value))
    return { type: 'array', items: value.map(shapeOf).reduce(mergeShapes, { type: 'any' }) };
  if (typeof value === 'object') {
    const fields = new Map(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
    return { type: 'object', fields, optional: new Set() };
  }
  return { type: typeof value as 'string' | 'number' | 'boolean' };
}

/** Returns the shape of values that have one shape or the other. Different types give `mixed`. */
function mergeShapes(a: Shape, b: Shape): Shape {
  if (a.type === 'any') return b;
  if (b.type === 'any') return a;
  if (a.type === 'array' && b.type === 'array')
    return { type: 'array', items: mergeShapes(a.items, b.items) };
  if (a.type === 'object' && b.type === 'object') {
    const names = new Set([...a.fields.keys(), ...b.fields.keys()]);
    const fields = [...names].map((name): [string, Shape] => {
      const [left, right] = [a.fields.get(name), b.fields.get(name)];
      return [
        name,
        left === undefined || right === undefined ? (left ?? right ?? ANY) : mergeShapes(left, right),
      ];
    });
    const isOptional = (name: string) =>
      !a.fields.has(name) || !b.fields.has(name) || a.optional.has(name) || b.optional.has(name);
    return { type: 'object', fields: new Map(fields), optional: new Set([...names].filter(isOptional)) };
  }
  return a.type === b.type ? a : { type: 'mixed' };
}

const ANY: Shape = { type: 'any' };

interface Difference {
  readonly path: string;
  readonly problem: string;
}

function differences(value: unknown, shape: Shape, path: string): readonly Difference[] {
  if (shape.type === 'any' || shape.type === 'mixed' || value === null) return [];
  const type = Array.isArray(value) ? 'array' : typeof value;
  if (type !== shape.type) return [{ path, problem: `${type} instead of ${shape.type}` }];
  if (shape.type === 'array')
    return (value as unknown[]).flatMap((each) => differences(each, shape.items, path));
  if (shape.type !== 'object') return [];
  const entries = new Map(Object.entries(value as object));
  const within = (name: string) => (path === '' ? name : `${path}.${name}`);
  return [
    ...[...shape.fields]
      .filter(([name]) => !entries.has(name) && !shape.optional.has(name))
      .map(([name]) => ({ path: within(name), problem: 'missing' })),
    ...[...entries].flatMap(([name, each]) => {
      const expected = shape.fields.get(name);
      return expected === undefined
        ? [{ path: within(name), problem: 'not recorded' }]
        : differences(each, expected, within(name));
    }),
  ];
}

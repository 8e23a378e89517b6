/**
 * Reads JSON as text, so that every digit of a number and every escape stays as it was sent. `JSON.parse` would round
 * long decimals.
 */

/** Returns the text of a member, such as `['data', 'payload']`; undefined if it does not exist. */
export function memberText(json: string, path: readonly string[]): string | undefined {
  let text: string | undefined = json;
  for (const name of path) {
    if (text === undefined) return undefined;
    text = membersOf(text).find(([key]) => key === name)?.[1];
  }
  return text?.trim();
}

/** Returns the texts of the elements of an array. */
export function elementTexts(json: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { token, at } of tokensOf(json)) {
    if (token === '}' || token === ']') depth -= 1;
    if ((depth === 1 && token === ',') || (depth === 0 && token === ']')) {
      elements.push(json.slice(start, at).trim());
      start = at + 1;
    }
    if (token === '[' && depth === 0) start = at + 1;
    if (token === '{' || token === '[') depth += 1;
  }
  return elements.filter((text) => text !== '');
}

function membersOf(json: string): [string, string][] {
  const members: [string, string][] = [];
  let depth = 0;
  let start = -1;
  let key: string | undefined;
  for (const { token, at } of tokensOf(json)) {
    if (depth === 1 && key === undefined && token.startsWith('"')) key = JSON.parse(token) as string;
    else if (depth === 1 && token === ':') start = at + 1;
    else if (depth === 1 && (token === ',' || token === '}') && key !== undefined) {
      members.push([key, json.slice(start, at)]);
      key = undefined;
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return members;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

function* tokensOf(json: string): Generator<{ token: string; at: number }> {
  for (const match of json.matchAll(TOKEN)) yield { token: match[0], at: match.index };
}

/** Indents JSON by two spaces, without a change to its strings and numbers. */
export function indentJson(json: string): string {
  let depth = 0;
  let text = '';
  let previous = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const { token } of tokensOf(json)) {
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth -= 1;
    const isAfterOpening = previous === '{' || previous === '[';
    if ((isAfterOpening && !isClosing) || (isClosing && !isAfterOpening) || previous === ',') text += line();
    text += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    previous = token;
  }
  return text;
}

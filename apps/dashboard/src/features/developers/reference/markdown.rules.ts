/** Reads the small part of Markdown that the reference uses. */

export type Block =
  | { readonly kind: 'heading' | 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

export function blocksOf(markdown: string): readonly Block[] {
  const parts = markdown.split(/(```[\s\S]*?```)/);
  return parts.flatMap((part): Block[] => {
    const fence = /^```(\w*)\n([\s\S]*?)\n?```$/.exec(part);
    if (fence !== null) return [{ kind: 'code', language: fence[1] ?? '', text: fence[2] ?? '' }];
    return part
      .split(/\n{2,}/)
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map(plainBlock);
  });
}

function plainBlock(text: string): Block {
  if (text.startsWith('#')) return { kind: 'heading', text: text.replace(/^#+\s*/, '') };
  if (!text.startsWith('|')) return { kind: 'paragraph', text };
  const [head = '', , ...rows] = text.split('\n');
  return { kind: 'table', head: cellsOf(head), rows: rows.map(cellsOf) };
}

export interface Span {
  readonly kind: 'text' | 'code' | 'strong';
  readonly text: string;
}

/** Splits a line into plain text, `code` and **strong** text. */
export function spansOf(text: string): readonly Span[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`') && part.length > 2) return { kind: 'code', text: part.slice(1, -1) };
      if (part.startsWith('**') && part.length > 4) return { kind: 'strong', text: part.slice(2, -2) };
      return { kind: 'text', text: part };
    });
}

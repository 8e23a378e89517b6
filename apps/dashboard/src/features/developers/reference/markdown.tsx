import { CodeBlock } from '../../../ui/code-block';
import { ScrollRegion } from '../../../ui/scroll-region';
import { type Block, blocksOf, spansOf } from './markdown.rules';

/** A line with code and strong text. */
export function Line({ text }: { readonly text: string }) {
  return spansOf(text).map(({ kind, text: part }, i) => {
    const key = `${i} ${part}`;
    if (kind === 'code')
      return (
        <code key={key} className="rounded bg-hover px-1 font-mono text-xs break-words">
          {part}
        </code>
      );
    return kind === 'strong' ? <strong key={key}>{part}</strong> : <span key={key}>{part}</span>;
  });
}

export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="flex flex-col gap-3 text-sm">
      {blocksOf(text).map((block, i) => (
        <BlockView key={`${i} ${block.kind}`} block={block} place={i + 1} />
      ))}
    </div>
  );
}

/** `place`: the place of the block in the text, which distinguishes the labels of its tables and examples. */
function BlockView({ block, place }: { readonly block: Block; readonly place: number }) {
  switch (block.kind) {
    case 'heading':
      return <h3 className="pt-4 font-semibold text-lg">{block.text}</h3>;
    case 'paragraph':
      return (
        <p className="max-w-180">
          <Line text={block.text} />
        </p>
      );
    case 'code':
      return (
        <CodeBlock label={`Example, part ${place}`} title={block.language || 'text'} code={block.text} />
      );
    case 'table':
      return (
        <ScrollRegion
          label={`Table, part ${place}`}
          className="overflow-x-auto rounded-card border -outline-offset-2"
        >
          <table className="w-full text-left text-sm">
            <thead>
              <tr className="text-muted text-xs">
                {block.head.map((cell) => (
                  <th key={cell} scope="col" className="h-9 px-3 font-medium">
                    <Line text={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row) => (
                <tr key={row.join('|')} className="border-t align-top">
                  {row.map((cell, i) => (
                    <td key={`${i} ${cell}`} className="px-3 py-2">
                      <Line text={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      );
  }
}

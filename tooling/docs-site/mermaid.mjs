import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(import.meta.resolve('@mermaid-js/tiny/dist/mermaid.tiny.js'));

/**
 * Renders code blocks of the language `mermaid` as elements in which the browser draws diagrams (`.vitepress/theme`).
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
export function fenceDiagrams(markdown) {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, options, env, self) ?? '';
    return `<pre class="mermaid" v-pre>${markdown.utils.escapeHtml(token.content)}</pre>\n`;
  };
}

/**
 * Serves the diagram library as a separate file. It is already built, and bundling it again would be slow.
 *
 * @type {import('vitepress').Plugin}
 */
export const mermaidFile = {
  name: 'mermaid-file',
  configureServer(server) {
    server.middlewares.use('/mermaid.js', (_request, response) => {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(readFileSync(file));
    });
  },
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'mermaid.js', source: readFileSync(file) });
  },
};

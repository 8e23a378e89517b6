import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(import.meta.resolve('@mermaid-js/tiny/dist/mermaid.tiny.js'));

/**
 * Shows fences of the language `mermaid` as diagrams; the browser draws them (`.vitepress/theme`).
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
 * Serves the diagram library as a file of the site. It is built already, and bundling it again takes long.
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

import { onContentUpdated, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';

/**
 * @typedef {{
 *   initialize: (options: { startOnLoad: boolean, theme: string }) => void,
 *   run: (options: { nodes: NodeListOf<Element> }) => Promise<void>,
 * }} Mermaid
 */

/** @type {Promise<void> | undefined} */
let loaded;

/** Loads the diagram library, once, on the first page that has a diagram. */
function loadMermaid() {
  loaded ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = withBase('/mermaid.js');
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${script.src} did not load.`));
    document.head.append(script);
  });
  return loaded;
}

async function drawDiagrams() {
  const diagrams = document.querySelectorAll('pre.mermaid:not([data-processed])');
  if (diagrams.length === 0) return;
  await loadMermaid();
  const { mermaid } = /** @type {{ mermaid: Mermaid }} */ (/** @type {unknown} */ (window));
  const isDark = document.documentElement.classList.contains('dark');
  mermaid.initialize({ startOnLoad: false, theme: isDark ? 'dark' : 'neutral' });
  await mermaid.run({ nodes: diagrams });
}

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(drawDiagrams);
  },
};

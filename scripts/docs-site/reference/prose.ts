// The few marks that descriptions use: paragraphs, lists, fenced blocks, `code` and **strong**.
import { html, type Fragment, type Html } from '../html.ts';

export function inline(source: string): Fragment {
  return source.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part): Fragment => {
    if (/^`[^`]+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    if (/^\*\*[^*]+\*\*$/.test(part)) return html`<strong>${part.slice(2, -2)}</strong>`;
    return part;
  });
}

function block(source: string): Html {
  const fence = /^```\w*\n([\s\S]*?)\n?```$/.exec(source);
  if (fence) return html`<pre tabindex="0"><code>${fence[1]}</code></pre>`;
  const lines = source.split('\n');
  if (lines.every((line) => /^\s*[-*] /.test(line))) {
    const items = lines.map((line) => html`<li>${inline(line.replace(/^\s*[-*] /, ''))}</li>`);
    return html`<ul>
      ${items}
    </ul>`;
  }
  return html`<p>${inline(source)}</p>`;
}

/** Blocks are parted by empty lines, but a fence keeps its own. */
const BLOCKS = /^```[\s\S]*?^```$|(?:(?!^```)[^\n]+(?:\n(?!```)|$))+/gm;

export function prose(source: string): Html[] {
  return (source.trim().match(BLOCKS) ?? []).map((part) => block(part.trimEnd()));
}

// Code on a page. Blocks that follow each other and say what each is for ("sh curl", "ts TypeScript") show the same
// thing in several ways: scripts make tabs of them, and without scripts they stand one below the other.
import { html, type Html } from './html.ts';
import { highlight } from './highlight.ts';

export interface CodeBlock {
  language: string;
  /** Undefined for a block that stands alone. */
  label: string | undefined;
  code: string;
}

/** What follows the fence: the language, and what the block is for. */
export function readInfo(info: string): Pick<CodeBlock, 'language' | 'label'> {
  const [language = '', ...rest] = info.trim().split(/\s+/);
  return { language, label: rest.length > 0 ? rest.join(' ') : undefined };
}

export function codeHtml({ language, code }: Pick<CodeBlock, 'language' | 'code'>): Html {
  // Longer lines than the page scroll sideways, which the keyboard must be able to do, too.
  return html`<pre tabindex="0"><code>${highlight(code, language)}</code></pre>`;
}

export function tabsHtml(blocks: readonly CodeBlock[]): Html {
  return html`<div class="tabs">
    ${blocks.map(
      (block) =>
        html`<div class="tab" data-label="${block.label}">
          <p class="label">${block.label}</p>
          ${codeHtml(block)}
        </div>`,
    )}
  </div>`;
}

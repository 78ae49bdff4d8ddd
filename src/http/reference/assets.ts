// The page's own style and script. Both are constants, so that a policy can name them by hash and
// the page can be rendered once and kept.
import { createHash } from 'node:crypto';
import { THEME_SCRIPT, TOKENS } from '../look/tokens.ts';

export const STYLE = `${TOKENS}
:root {
  --bg: var(--surface); --raised: var(--canvas); --code: var(--sunken);
  --get: var(--info); --post: var(--good); --put: var(--warn); --delete: var(--bad);
  --on-badge: light-dark(#ffffff, #10151c);
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--bg); color: var(--text);
  font: .9375rem/1.6 var(--sans); -webkit-font-smoothing: antialiased;
}
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); }
code { font-size: .875em; background: var(--code); padding: .1em .3em; border-radius: 4px; }
pre {
  margin: .5rem 0 1rem; padding: .9rem 1rem; overflow-x: auto; background: var(--code);
  border: 1px solid var(--line); border-radius: 8px; line-height: 1.5;
}
pre code { background: none; padding: 0; font-size: .85rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 .25rem; letter-spacing: -.02em; }
h2 { font-size: 1.5rem; margin: 0 0 .5rem; letter-spacing: -.01em; }
h3 { font-size: 1.2rem; margin: 0 0 .5rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: .95rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; max-width: 72ch; }
.skip { position: absolute; left: -100rem; top: .5rem; padding: .5rem 1rem; background: var(--bg); z-index: 2; }
.skip:focus { left: .5rem; }
.page { display: grid; grid-template-columns: 18rem minmax(0, 1fr); min-height: 100vh; }
.side {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1.25rem;
  background: var(--raised); border-right: 1px solid var(--line); font-size: .8125rem;
}
.side .brand { display: flex; align-items: center; gap: .6rem; margin-bottom: 1rem; font-weight: 600; font-size: 1rem; letter-spacing: -.01em; color: var(--text); text-decoration: none; }
.mark { width: 1.5rem; height: 1.5rem; }
.side .home { display: block; margin-bottom: .75rem; color: var(--soft); text-decoration: none; }
.side .home:hover { color: var(--text); }
.find { width: 100%; height: 2rem; margin-bottom: .75rem; padding: 0 .65rem; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 7px; }
.find::placeholder { color: var(--faint); }
.nothing { color: var(--soft); }
.side .group { margin: 1.25rem 0 .25rem; font-size: .8rem; font-weight: 600; color: var(--soft); }
.side ul { list-style: none; margin: 0; padding: 0; }
.side li a {
  display: flex; gap: .5rem; align-items: baseline; padding: .25rem .4rem; border-radius: 6px;
  color: var(--text); text-decoration: none;
}
.side li a:hover { background: var(--accent-soft); }
.side .method { min-width: 3.4rem; font-size: .65rem; }
main { padding: 2.5rem clamp(1rem, 4vw, 3.5rem) 5rem; max-width: 72rem; min-width: 0; }
main > section { margin-top: 3.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }
.meta { color: var(--soft); display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 1rem; }
.operation { margin-top: 2.5rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 12px; }
.operation:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.address { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.address code { font-size: .95rem; overflow-wrap: anywhere; }
.method {
  display: inline-block; padding: .1rem .45rem; border-radius: 5px; text-align: center; font-weight: 700;
  font-size: .75rem; letter-spacing: .03em; color: var(--on-badge); background: var(--soft);
}
.m-get { background: var(--get); } .m-post { background: var(--post); }
.m-put, .m-patch { background: var(--put); } .m-delete { background: var(--delete); }
.lock { font-size: .85rem; color: var(--soft); }
.deprecated { font-size: .75rem; color: var(--warn); border: 1px solid; border-radius: 5px; padding: .05rem .4rem; }
.scroll { overflow-x: auto; margin: .5rem 0 1rem; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--raised); font-size: .8rem; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 400; }
tbody th code { font-weight: 600; background: none; padding: 0; }
tr.caption th { background: var(--accent-soft); font-weight: 600; font-size: .85rem; }
td { min-width: 5rem; }
td:last-child { min-width: 14rem; }
.type { font-family: var(--mono); font-size: .85em; overflow-wrap: break-word; }
.required { color: var(--bad); font-weight: 600; }
.limits { display: block; color: var(--soft); overflow-wrap: anywhere; }
.media, .label { margin: .75rem 0 .25rem; font-size: .85rem; color: var(--soft); }
.response { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
.response summary { cursor: pointer; padding: .55rem .9rem; font-weight: 600; }
.response summary .about { font-weight: 400; color: var(--soft); }
.response .body { padding: 0 .9rem .5rem; border-top: 1px solid var(--line); }
.status { font-variant-numeric: tabular-nums; color: var(--soft); }
.s2 { color: var(--post); } .s4 { color: var(--warn); } .s5 { color: var(--bad); }
.block { position: relative; }
.copy {
  position: absolute; top: .5rem; right: .5rem; padding: .2rem .6rem; cursor: pointer; font: inherit;
  font-size: .8rem; color: var(--text); background: var(--bg); border: 1px solid var(--line); border-radius: 6px;
}
footer { margin-top: 4rem; color: var(--soft); font-size: .9rem; }
@media (max-width: 60rem) {
  .page { display: block; }
  .side { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding-top: 1.5rem; }
  .operation { padding: 1rem; }
}
@media (max-width: 40rem) {
  .operation { padding: 1rem .75rem; border-left: 0; border-right: 0; border-radius: 0; margin-inline: -1rem; }
  table, tbody, tr { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tbody tr { padding: .5rem .75rem; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  tbody th, tbody td { display: inline-block; padding: 0 .5rem 0 0; border: 0; min-width: 0; }
  tbody td:last-child { display: block; min-width: 0; }
  tr.caption { background: var(--accent-soft); }
}
@media print { .side, .copy, .skip { display: none; } .page { display: block; } }
`;

/** Without it the page lacks nothing but its copy buttons and the search. */
export const SCRIPT = `${THEME_SCRIPT}
const side = document.querySelector('.side');
const find = Object.assign(document.createElement('input'), {
  type: 'search', className: 'find', placeholder: 'Search operations',
});
find.setAttribute('aria-label', 'Search operations');
const nothing = Object.assign(document.createElement('p'), {
  className: 'nothing', textContent: 'Nothing matches.', hidden: true,
});
nothing.setAttribute('role', 'status');
side.querySelector('ul').before(find, nothing);
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/);
  let shown = 0;
  for (const list of side.querySelectorAll('ul')) {
    let own = 0;
    for (const item of list.children) {
      const text = (item.textContent + ' ' + (item.dataset.path ?? '')).toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) own += 1;
    }
    const title = document.getElementById(list.getAttribute('aria-labelledby') ?? '');
    if (title) title.hidden = own === 0;
    shown += own;
  }
  nothing.hidden = shown > 0;
});
find.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') side.querySelector('li:not([hidden]) a')?.click();
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === find) return;
  event.preventDefault();
  find.focus();
});
if (navigator.clipboard) for (const pre of document.querySelectorAll('main pre')) {
  const block = document.createElement('div');
  block.className = 'block';
  pre.replaceWith(block);
  const copy = document.createElement('button');
  copy.className = 'copy';
  copy.type = 'button';
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      copy.textContent = 'Copied';
    } catch {
      copy.textContent = 'Not allowed';
    }
    setTimeout(() => (copy.textContent = 'Copy'), 2000);
  });
  block.append(pre, copy);
}
`;

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** Allows this page its own style, script and icon, and nothing from anywhere else. */
export const REFERENCE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

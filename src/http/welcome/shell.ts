// What the pages for people share: one column, one style, nothing from elsewhere, and a policy that allows
// just the script of the page, by its hash.
import { escapeHtml } from '../../domain/text/escape-html.ts';
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const STYLE = `
:root { color-scheme: light dark; --bg: #fff; --text: #1c2430; --soft: #55606e; --line: #c4cbd4;
  --accent: #0b5cad; --on-accent: #fff; --bad: #a3212b; --code: #f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #11161d; --text: #e4e9f0; --soft: #a3afbd; --line: #3d4957; --accent: #7db8f5;
    --on-accent: #10151c; --bad: #ff9a9f; --code: #1b232d; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 26rem; margin: 12vh auto 0; padding: 0 1.25rem 3rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
p:empty { display: none; }
form { margin-bottom: 1rem; }
form button { width: 100%; }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input { display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; }
button { padding: .6rem 1.1rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 0; border-radius: 6px; cursor: pointer; }
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
small { display: block; font-weight: 400; color: var(--soft); }
code { display: block; padding: .6rem .7rem; background: var(--code); border-radius: 6px;
  overflow-wrap: anywhere; font-family: ui-monospace, Menlo, Consolas, monospace; }
.problem { color: var(--bad); }
button.plain { color: var(--text); background: transparent; border: 1px solid var(--line); }
button.link { padding: 0; font-weight: 400; color: var(--accent); background: none;
  text-decoration: underline; }
a { color: var(--accent); }
a.button { display: block; padding: .6rem 1.1rem; font-weight: 600; text-align: center;
  text-decoration: none; color: var(--text); border: 1px solid var(--line); border-radius: 6px; }
.row { display: flex; gap: .75rem; flex-wrap: wrap; }
.stack > * + * { margin-top: 1rem; }
.code { font-size: 1.4rem; letter-spacing: .12em; text-align: center; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
`;

export interface Page {
  html: string;
  contentSecurityPolicy: string;
}

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** `data`: what the script finds in `document.body.dataset`. */
export function createPage(script: string, data: Readonly<Record<string, string>> = {}): Page {
  const attributes = Object.entries(data).map(
    ([name, text]) => ` data-${name}="${escapeHtml(text)}"`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Millrace</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body${attributes.join('')}>
<main>
<h1 id="title">Millrace</h1>
<p id="text">One moment...</p>
<p id="problem" class="problem" role="alert" hidden></p>
<form id="form" hidden></form>
<div id="after" class="stack" aria-live="polite"></div>
<noscript><p>This page needs JavaScript.</p></noscript>
</main>
<script>${script}</script>
</body>
</html>
`;
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}

export function sendPage(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': page.contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .send(page.html);
}

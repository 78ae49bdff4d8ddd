// What the pages for people share: one column, one style, nothing from elsewhere, and a policy that allows
// just the script of the page, by its hash.
import { escapeHtml } from '../../domain/text/escape-html.ts';
import { ICON, MARK, THEME_SCRIPT, TOKENS } from '../look/tokens.ts';
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const STYLE = `${TOKENS}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  padding: 11vh 1.25rem 3rem; background: var(--canvas); color: var(--text);
  font: .875rem/1.5 var(--sans); -webkit-font-smoothing: antialiased; }
.brand { display: inline-flex; align-items: center; gap: .6rem; margin-bottom: 1.5rem; font-size: 1.0625rem;
  font-weight: 600; letter-spacing: -.01em; color: var(--text); text-decoration: none; }
.mark { width: 1.75rem; height: 1.75rem; }
main { width: 100%; max-width: 25rem; padding: 1.75rem; background: var(--surface);
  border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow); }
h1 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -.015em; margin: 0 0 .375rem; }
p { margin: 0 0 1.25rem; color: var(--soft); }
p:empty { display: none; }
form { margin: 1rem 0; }
form button { width: 100%; margin-top: .25rem; }
label { display: block; margin: 0 0 1rem; font-weight: 500; font-size: .8125rem; }
input { display: block; width: 100%; height: 2.375rem; margin-top: .3rem; padding: 0 .7rem; font: inherit;
  font-weight: 400; font-size: .875rem; color: inherit; background: var(--surface);
  border: 1px solid var(--line-strong); border-radius: 8px; }
input[readonly] { background: var(--sunken); }
button, a.button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.375rem;
  padding: 0 1rem; font: inherit; font-weight: 500; color: var(--on-accent); background: var(--accent);
  border: 1px solid transparent; border-radius: 8px; box-shadow: var(--shadow); cursor: pointer;
  text-decoration: none; }
button:hover, a.button:hover { background: var(--accent-strong); }
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
small { display: block; margin-top: .25rem; font-weight: 400; color: var(--soft); }
code { display: block; padding: .6rem .7rem; background: var(--sunken); border: 1px solid var(--line);
  border-radius: 8px; overflow-wrap: anywhere; font: .8125rem/1.5 var(--mono); }
.problem { margin: .75rem 0; padding: .55rem .75rem; color: var(--bad); background: var(--bad-soft);
  border-radius: 8px; }
button.plain, a.plain { color: var(--text); background: var(--surface); border-color: var(--line-strong); }
button.plain:hover, a.plain:hover { background: var(--hover); }
button.link { min-height: 0; padding: 0; font-weight: 400; color: var(--accent); background: none;
  box-shadow: none; text-decoration: underline; text-underline-offset: 2px; }
a { color: var(--accent); }
.row { display: flex; gap: .75rem; flex-wrap: wrap; }
.row > * { flex: 1; }
.stack > * + * { margin-top: 1rem; }
.stack > .button, .stack > button:not(.link) { width: 100%; }
.code { font-size: 1.375rem; letter-spacing: .12em; text-align: center; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .3rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { body { padding-top: 3rem; } main { padding: 1.25rem; } }
`;

export interface Page {
  html: string;
  contentSecurityPolicy: string;
}

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

interface Parts {
  fonts: string;
  /** Attributes of the body. */
  attributes: string;
  main: string;
  script: string;
}

function assemble({ fonts, attributes, main, script }: Parts): Page {
  const style = fonts + STYLE;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Millrace</title>
${ICON}
<style>${style}</style>
</head>
<body${attributes}>
<header><a class="brand" href="/">${MARK}Millrace</a></header>
<main>
${main}
</main>
<script>${script}</script>
</body>
</html>
`;
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}

/** A page that its script fills. `data`: what the script finds in `document.body.dataset`. */
export function createPage(
  script: string,
  fonts: string,
  data: Readonly<Record<string, string>> = {},
): Page {
  const attributes = Object.entries(data).map(
    ([name, text]) => ` data-${name}="${escapeHtml(text)}"`,
  );
  const main = `<h1 id="title">Millrace</h1>
<p id="text">One moment...</p>
<p id="problem" class="problem" role="alert" hidden></p>
<form id="form" hidden></form>
<div id="after" class="stack" aria-live="polite"></div>
<noscript><p>This page needs JavaScript.</p></noscript>`;
  return assemble({ fonts, attributes: attributes.join(''), main, script });
}

/** Where an address leads that nothing is at. */
export function createLostPage(fonts: string): Page {
  const main = `<h1>There is no such page</h1>
<p>Check the address, or go on from here.</p>
<div class="row"><a class="button" href="/">Dashboard</a><a class="button plain" href="/docs">Documentation</a></div>`;
  return assemble({ fonts, attributes: '', main, script: THEME_SCRIPT });
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

// Where an address leads that nothing is at. It needs neither scripts nor the dashboard, and says nothing about the
// person who came.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { fontFaces } from './look/fonts.ts';
import { ICON, MARK, THEME_SCRIPT, TOKENS } from './look/tokens.ts';

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
.row { display: flex; gap: .75rem; flex-wrap: wrap; }
.button { flex: 1; display: inline-flex; align-items: center; justify-content: center; min-height: 2.375rem;
  padding: 0 1rem; font-weight: 500; color: var(--on-accent); background: var(--accent);
  border: 1px solid transparent; border-radius: 8px; box-shadow: var(--shadow); text-decoration: none; }
.button:hover { background: var(--accent-strong); }
.plain { color: var(--text); background: var(--surface); border-color: var(--line-strong); }
.plain:hover { background: var(--hover); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { body { padding-top: 3rem; } main { padding: 1.25rem; } }
`;

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

function htmlOf(style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>There is no such page · Millrace</title>
${ICON}
<style>${style}</style>
<script>${THEME_SCRIPT}</script>
</head>
<body>
<header><a class="brand" href="/">${MARK}Millrace</a></header>
<main>
<h1>There is no such page</h1>
<p>Check the address, or continue from here.</p>
<div class="row"><a class="button" href="/">Dashboard</a><a class="button plain" href="/docs">Documentation</a></div>
</main>
</body>
</html>
`;
}

/** Made when it is first needed, and kept. */
export function createLostPage(webFolder: string): (reply: FastifyReply) => FastifyReply {
  let made: { html: string; policy: string } | undefined;
  const make = () => {
    const style = fontFaces(webFolder) + STYLE;
    const policy = [
      "default-src 'none'",
      `style-src ${hashOf(style)}`,
      `script-src ${hashOf(THEME_SCRIPT)}`,
      "img-src 'self'",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
    return { html: htmlOf(style), policy };
  };
  return (reply) => {
    made ??= make();
    return reply
      .code(404)
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': made.policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      .send(made.html);
  };
}

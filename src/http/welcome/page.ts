// The page behind set-up, invitation and password links: one small form, without anything from elsewhere.
// What is secret in the link stays in the browser until it is sent to the API in a body.
import { createHash } from 'node:crypto';
import { WELCOME_SCRIPT } from './script.ts';

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
`;

export const WELCOME_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Millrace</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 id="title">Millrace</h1>
<p id="text">One moment...</p>
<p id="problem" class="problem" role="alert" hidden></p>
<form id="form" hidden></form>
<div id="after" aria-live="polite"></div>
<noscript><p>This page needs JavaScript.</p></noscript>
</main>
<script>${WELCOME_SCRIPT}</script>
</body>
</html>
`;

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

export const WELCOME_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(WELCOME_SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

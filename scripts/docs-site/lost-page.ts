// The page at an address where nothing is. It says nothing about the person who came.
import { html, trusted } from './html.ts';
import { ICON, MARK } from './mark.ts';

export function lostPage(assets: { style: string; script: string }): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>There is no such page · Millrace</title>
        ${trusted(ICON)}
        <link rel="stylesheet" href="${assets.style}" />
        <script src="${assets.script}"></script>
      </head>
      <body>
        <header><a class="brand" href="/">${trusted(MARK)}Millrace</a></header>
        <main>
          <h1>There is no such page</h1>
          <p>Check the address, or continue from here.</p>
          <div class="row">
            <a class="button" href="/">Dashboard</a
            ><a class="button plain" href="/docs">Documentation</a>
          </div>
        </main>
      </body>
    </html> `.html;
}

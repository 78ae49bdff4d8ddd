// The API reference at /docs/api: one page made from the OpenAPI document. It reads well without scripts, and is the
// same for everyone, so it is rendered once.
import { ERROR_CODES } from '../../../src/contract/errors.ts';
import { plainCommand } from '../../../src/domain/command/suggested-command.ts';
import { codeHtml } from '../code-block.ts';
import { frame, type FrameAssets } from '../frame.ts';
import { isEmpty, list, operationGroups, record, text } from './document.ts';
import type { Json, OperationGroup } from './document.ts';
import { html, type Html } from '../html.ts';
import { methodBadge, operationHtml } from './operation.ts';
import type { OperationContext } from './operation.ts';
import { inline, prose } from './prose.ts';
import { tableOf } from './table.ts';

const LOCAL_SERVER = 'http://127.0.0.1:4747';

function headerFor(scheme: Json): string | null {
  const type = text(scheme['type']);
  if (type === 'apiKey' && scheme['in'] === 'header') {
    // The name goes into a shell line: a header name has no character that could leave the quotes.
    return `"${text(scheme['name']).replaceAll(/[^\w-]/g, '')}: $MILLRACE_API_KEY"`;
  }
  return type === 'http' ? `"Authorization: Bearer $MILLRACE_API_KEY"` : null;
}

function schemesOf(document: Json): [string, Json][] {
  const schemes = record(record(document['components'])['securitySchemes']);
  return Object.entries(schemes).map(([name, value]) => [name, record(value)]);
}

function contextOf(document: Json): OperationContext {
  const headers = schemesOf(document).map(([, scheme]) => headerFor(scheme));
  const server = text(record(list(document['servers'])[0])['url']);
  return {
    document,
    baseUrl: /^https?:\/\//.test(server) ? server.replace(/(?<!\/)\/+$/, '') : LOCAL_SERVER,
    authHeader: headers.find((header) => header !== null) ?? null,
  };
}

function navigation(groups: readonly OperationGroup[]): Html {
  return html`<nav class="side operations" id="menu" aria-label="API reference">
    <a class="home" href="/docs">All documentation</a>
    <ul class="first">
      <li><a href="#authentication">Authentication</a></li>
      <li><a href="#errors">Errors</a></li>
    </ul>
    ${groups.map(
      (group) =>
        html`<p class="group" id="nav-${group.anchor}">${group.name}</p>
          <ul aria-labelledby="nav-${group.anchor}">
            ${group.operations.map(
              (operation) =>
                html`<li data-path="${operation.path}">
                  <a href="#${operation.anchor}"
                    >${methodBadge(operation.method)} <span>${operation.summary}</span></a
                  >
                </li>`,
            )}
          </ul>`,
    )}
  </nav>`;
}

function authentication(document: Json): Html {
  const items = schemesOf(document).map(([name, scheme]) => {
    const header = headerFor(scheme);
    const place =
      text(scheme['in']) === 'cookie' ? html`cookie <code>${text(scheme['name'])}</code>` : name;
    return html`<li>
      ${header === null ? place : html`<code>${header.slice(1, -1)}</code>`}
      ${inline(text(scheme['description']))}
    </li>`;
  });
  return html`<section id="authentication" aria-labelledby="authentication-title">
    <h2 id="authentication-title">Authentication</h2>
    <p>
      An API key begins with <code>mill_sk_</code>. Create one in the dashboard, or on the machine
      of the server. It is shown once:
    </p>
    ${codeHtml({ language: 'sh', code: plainCommand('api-keys', 'create') })}
    ${
      items.length === 0
        ? null
        : html`<p>Send it with every request that needs a key, in any of these ways:</p>
            <ul>
              ${items}
            </ul>`
    }
    <p>
      A missing or wrong key returns 401, a resource of another team 403. The
      <a href="/docs/api-guide">API guide</a> explains idempotency, waiting, streaming and limits.
    </p>
  </section>`;
}

function errors(): Html {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, meaning }]) =>
      html`<tr>
        <th scope="row"><code>${code}</code></th>
        <td>${status}</td>
        <td>${inline(meaning)}</td>
      </tr>`,
  );
  const sample = { error: { code: 'NOT_FOUND', message: ERROR_CODES.NOT_FOUND.meaning } };
  return html`<section id="errors" aria-labelledby="errors-title">
    <h2 id="errors-title">Errors</h2>
    <p>
      Every error has the same shape. Some carry <code>details</code>: a list of <code>path</code>,
      <code>code</code> and <code>message</code> when a request is not valid, an object otherwise.
    </p>
    ${codeHtml({ language: 'json', code: JSON.stringify(sample, null, 2) })}
    ${tableOf('Error codes', ['Code', 'Status', 'Meaning'], rows)}
  </section>`;
}

function groupHtml(group: OperationGroup, context: OperationContext): Html {
  return html`<section id="${group.anchor}" aria-labelledby="${group.anchor}-title">
    <h2 id="${group.anchor}-title">${group.name}</h2>
    ${prose(group.description)}
    ${group.operations.map((operation) => operationHtml(operation, context))}
  </section>`;
}

/** The whole page for an OpenAPI 3.1 document. Everything in the document is treated as text. */
export function renderReference(openapi: object, assets: FrameAssets): string {
  const document = record(openapi);
  const info = record(document['info']);
  const title = text(info['title']) || 'API reference';
  const groups = operationGroups(document);
  const context = contextOf(document);
  const label = text(document['x-interface-version']) || text(info['x-interface-version']);
  const content = html`<div class="reference">
    <header>
      <h1>${title}</h1>
      <p class="meta">
        <span>Version ${text(info['version'])}</span
        >${label === '' ? null : html`<span>Interface ${label}</span>`}<a href="/openapi.json"
          >OpenAPI document</a
        >
      </p>
      ${prose(text(info['description']))}
    </header>
    ${authentication(document)} ${errors()}
    ${isEmpty(record(document['paths'])) ? html`<p>This document describes no operations.</p>` : null}
    ${groups.map((group) => groupHtml(group, context))}
  </div>`;
  const page = { title: `${title}: API reference`, menu: navigation(groups), content };
  return frame({ ...page, markdown: '/docs/api.md' }, assets);
}

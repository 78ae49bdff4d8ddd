// One operation of the API as a section of the page.
import { STATUS_CODES } from 'node:http';
import { codeHtml, tabsHtml, type CodeBlock } from '../code-block.ts';
import { commandOf, typescriptOf } from './client-examples.ts';
import { isEmpty, list, record, resolve, text, type Json, type Operation } from './document.ts';
import { html, type Fragment, type Html } from '../html.ts';
import { inline, prose } from './prose.ts';
import { bodyOf, curlOf, mediaSamples } from './sample.ts';
import { limitsOf, open, typeOf, type Place } from './schema.ts';
import { breakable, breakingBetween, notes, presence, schemaHtml, tableOf } from './table.ts';

export interface OperationContext {
  document: Json;
  baseUrl: string;
  /** The curl header of the first way to authenticate that is a header. */
  authHeader: string | null;
}

function placeIn(context: OperationContext): Place {
  return { document: context.document, refs: [], depth: 0 };
}

function parametersHtml(operation: Operation, context: OperationContext): Html | null {
  if (operation.parameters.length === 0) return null;
  const rows = operation.parameters.map((parameter) => {
    const schema = open(parameter['schema'], placeIn(context)).node;
    const description = text(parameter['description']) || text(schema['description']);
    return html`<tr>
      <th scope="row"><code>${breakable(text(parameter['name']))}</code></th>
      <td>${text(parameter['in'])}</td>
      <td><span class="type">${typeOf(parameter['schema'], placeIn(context))}</span></td>
      <td>${presence(parameter['required'] === true, 'request')}</td>
      <td>${notes(limitsOf(schema), description)}</td>
    </tr>`;
  });
  const columns = ['Name', 'In', 'Type', 'Presence', 'Notes'];
  return html`<h4>Parameters</h4>
    ${tableOf(`Parameters of ${operation.summary}`, columns, rows)}`;
}

function mediaTypes(content: unknown): [string, Json][] {
  return Object.entries(record(content)).map(([type, value]) => [type, record(value)]);
}

function requestHtml(operation: Operation, context: OperationContext): Html | null {
  const body = resolve(context.document, operation.node['requestBody']).node;
  const media = mediaTypes(body['content']);
  if (media.length === 0) return null;
  return html`<h4>Request body</h4>
    ${prose(text(body['description']))}
    ${media.map(
      ([type, one]) =>
        html`<p class="media"><code>${type}</code></p>
          ${schemaHtml(one['schema'], { place: placeIn(context), label: `Request body of ${operation.summary}`, direction: 'request' })}`,
    )}`;
}

function exampleHtml(type: string, media: Json, context: OperationContext): Fragment {
  const isJson = /[/+]json$/.test(type);
  if (!isJson && media['example'] === undefined && media['examples'] === undefined) return null;
  const samples = mediaSamples(media, placeIn(context)).filter(({ value }) => value !== undefined);
  return samples.map(({ name, value }, index) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const label = index === 0 ? (samples.length > 1 ? 'Examples' : 'Example') : 'or';
    return html`<p class="label">${label}${name === '' ? null : `: ${name}`}</p>
      ${codeHtml({ language: isJson ? 'json' : '', code: shown })}`;
  });
}

function headersHtml(headers: Json, context: OperationContext): Html | null {
  if (isEmpty(headers)) return null;
  const items = Object.entries(headers).map(([name, value]) => {
    const { node } = resolve(context.document, value);
    return html`<li><code>${name}</code> ${inline(text(node['description']))}</li>`;
  });
  return html`<p class="label">Headers</p>
    <ul>
      ${items}
    </ul>`;
}

function responseHtml(
  operation: Operation,
  [status, value]: [string, unknown],
  context: OperationContext,
): Html {
  const { node } = resolve(context.document, value);
  const media = mediaTypes(node['content']);
  const name = STATUS_CODES[status] ?? '';
  const kind = /^[1-5]/.exec(status)?.[0] ?? 'x';
  const description = text(node['description']);
  const opened = kind === '2' ? html` open` : null;
  return html`<details class="response" ${opened}>
    <summary>
      <span class="status s${kind}">${status}</span>
      ${name}${description === '' || description === name ? null : html`<span class="about"> ${inline(description)}</span>`}
    </summary>
    <div class="body">
      ${headersHtml(record(node['headers']), context)}
      ${media.map(
        ([type, one]) =>
          html`<p class="media"><code>${type}</code></p>
            ${schemaHtml(one['schema'], { place: placeIn(context), label: `Response ${status} of ${operation.summary}`, direction: 'response' })}
            ${exampleHtml(type, one, context)}`,
      )}
      ${media.length === 0 ? html`<p>No body.</p>` : null}
    </div>
  </details>`;
}

/** Whether all that a response has to say is its code: its body is that of every error. */
function isPlainError([status, value]: [string, unknown], context: OperationContext): boolean {
  const { node } = resolve(context.document, value);
  const schema = record(record(node['content'])['application/json'])['schema'];
  const properties = record(open(schema, placeIn(context)).node['properties']);
  return /^[45]/.test(status) && Object.keys(properties).join() === 'error';
}

function errorsHtml(errors: readonly [string, unknown][], context: OperationContext): Html | null {
  if (errors.length === 0) return null;
  const items = errors.map(([status, value]) => {
    const description = text(resolve(context.document, value).node['description']);
    const kind = status.slice(0, 1);
    return html`<li><span class="status s${kind}">${status}</span> ${inline(description)}</li>`;
  });
  return html`<p class="label">Errors, in <a href="#errors">the shape that all have</a>:</p>
    <ul class="errors">
      ${items}
    </ul>`;
}

function needsKey(operation: Operation, document: Json): boolean {
  const security = list(operation.node['security'] ?? document['security']).map(record);
  return security.length > 0 && !security.some(isEmpty);
}

export function methodBadge(method: string): Html {
  return html`<span class="method m-${method}">${method.toUpperCase()}</span>`;
}

/** The same request for a shell, for TypeScript and on our command line, as far as there is one. */
function tryHtml(operation: Operation, keyed: boolean, context: OperationContext): Html {
  const { baseUrl } = context;
  const place = placeIn(context);
  const authHeader = keyed ? context.authHeader : null;
  const operationId = text(operation.node['operationId']);
  const body = bodyOf(operation, place);
  const examples: CodeBlock[] = [
    { label: 'curl', language: 'sh', code: curlOf(operation, { baseUrl, place, authHeader }) },
    {
      label: 'TypeScript',
      language: 'ts',
      code: typescriptOf(operationId, { baseUrl, body }) ?? '',
    },
    { label: 'CLI', language: 'sh', code: commandOf(operationId) ?? '' },
  ];
  return tabsHtml(examples.filter(({ code }) => code !== ''));
}

export function operationHtml(operation: Operation, context: OperationContext): Html {
  const keyed = needsKey(operation, context.document);
  const responses = Object.entries(record(operation.node['responses']));
  return html`<article
    class="operation"
    id="${operation.anchor}"
    aria-labelledby="${operation.anchor}-title"
  >
    <h3 id="${operation.anchor}-title">
      <a href="#${operation.anchor}">${operation.summary}</a
      >${operation.node['deprecated'] === true ? html` <span class="deprecated">deprecated</span>` : null}
    </h3>
    <p class="address">
      ${methodBadge(operation.method)}
      <code>${breakingBetween(operation.path.split(/(?<=\/)/))}</code
      >${keyed ? html` <a class="lock" href="#authentication">needs a key</a>` : null}
    </p>
    ${prose(text(operation.node['description']))} ${parametersHtml(operation, context)}
    ${requestHtml(operation, context)}
    <h4>Try it</h4>
    ${tryHtml(operation, keyed, context)}
    <h4>Responses</h4>
    ${responses.filter((one) => !isPlainError(one, context)).map((one) => responseHtml(operation, one, context))}
    ${errorsHtml(
      responses.filter((one) => isPlainError(one, context)),
      context,
    )}
  </article>`;
}

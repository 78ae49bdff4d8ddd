// Takes the calls that we make out of GitHub's description of its API, for the double that tests speak to:
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//   node scripts/github-openapi.ts package/generated/api.github.com.json
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REPO = '/repos/{owner}/{repo}';
const PULL = `${REPO}/pulls/{pull_number}`;
const CALLS = [
  `get ${REPO}`,
  `get ${REPO}/pulls`,
  `post ${REPO}/pulls`,
  `get ${PULL}`,
  `patch ${PULL}`,
  `post ${PULL}/requested_reviewers`,
  `get ${PULL}/reviews`,
  `get ${PULL}/comments`,
  `post ${PULL}/comments/{comment_id}/replies`,
  `get ${REPO}/commits/{ref}/check-runs`,
  `get ${REPO}/commits/{ref}/status`,
  `get ${REPO}/collaborators/{username}/permission`,
  `get ${REPO}/actions/jobs/{job_id}/logs`,
  `get ${REPO}/issues/{issue_number}/comments`,
  `post ${REPO}/issues/{issue_number}/comments`,
];

interface Schema {
  [key: string]: unknown;
}
interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}
interface Response {
  $ref?: string;
  content?: Record<string, Media>;
}
interface Operation {
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}
interface Description {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file of the description.');
const { info, paths, components } = JSON.parse(readFileSync(file, 'utf8')) as Description;
const schemas: Record<string, unknown> = {};

const named = (ref: string) => {
  const [, , section, name] = ref.split('/') as [string, string, string, string];
  return { name, value: components[section]![name] };
};

/** Words for people, and what a validator of the common standard does not know. */
const LEFT_OUT = new Set(['description', 'title', 'example', 'examples', 'format', 'deprecated']);

function slim(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((one) => slim(one));
  if (typeof value !== 'object' || value === null) return value;
  const all = value as Schema;
  if (typeof all['$ref'] === 'string') {
    const { name, value: schema } = named(all['$ref']);
    if (!(name in schemas)) {
      schemas[name] = {};
      schemas[name] = slim(schema);
    }
    return { $ref: `#/schemas/${name}` };
  }
  const kept: Schema = {};
  for (const [key, one] of Object.entries(all)) {
    if (isSchema && (LEFT_OUT.has(key) || key.startsWith('x-') || key === 'nullable')) continue;
    // A property may have any name, also one of those above.
    kept[key] = slim(one, key !== 'properties');
  }
  if (isSchema && all['nullable'] === true) return { anyOf: [kept, { type: 'null' }] };
  return kept;
}

function exampleOf({ example, examples }: Media): unknown {
  const [first] = Object.values(examples ?? {});
  if (first === undefined) return example ?? null;
  if (first.$ref === undefined) return first.value ?? null;
  return (named(first.$ref).value as { value: unknown }).value;
}

const calls = CALLS.map((call) => {
  const [method = '', path = ''] = call.split(' ');
  const operation = paths[path]?.[method];
  if (operation === undefined) throw new Error(`There is no ${call}.`);
  const body = operation.requestBody?.content['application/json']?.schema;
  const responses = Object.entries(operation.responses).map(([status, given]) => {
    const response = given.$ref === undefined ? given : (named(given.$ref).value as Response);
    const media = response.content?.['application/json'];
    return [
      status,
      media?.schema === undefined
        ? null
        : { schema: slim(media.schema), example: exampleOf(media) },
    ] as const;
  });
  return {
    method: method.toUpperCase(),
    path,
    body: body === undefined ? null : slim(body),
    responses: Object.fromEntries(responses),
  };
});

const made = join(import.meta.dirname, '../test/git/github-openapi.json');
writeFileSync(made, `${JSON.stringify({ version: info.version, calls, schemas })}\n`);

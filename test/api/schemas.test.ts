import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { verifies } from '../support/verifies.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

it.each(['manifest.json', 'manifest-a.json', 'manifest-b.json'])(
  'serves the schema %s that the package holds',
  async (name) => {
    verifies('versioning.notation-b');
    const answer = await fetch(`${server().url}/schemas/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/schema+json; charset=utf-8');
    const file = new URL(`../../schemas/${name}`, import.meta.url);
    const schema = (await answer.json()) as Record<string, unknown>;
    expect(schema).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    if (name === 'manifest-b.json') expect(schema['x-interface-version']).toBe('5.0');
  },
);

// What `init` writes works as it is: for the editor, and with the simulator.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TEMPLATES } from '../../src/cli/commands/manifests/init/templates.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();
let base: string;
let root: string;
let settings: Record<string, string>;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'millrace-init-'));
  root = join(base, 'project');
  await mkdir(root);
  settings = {
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: (await server().createKey()).key,
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
  };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const cli = (...args: string[]) => runHere(['-C', root, ...args], settings);

/** What the first line of a manifest says, as an editor finds it. */
function schemaOf(manifest: string): string {
  const [, name] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(
    readFileSync(manifest, 'utf8'),
  )!;
  return join(dirname(manifest), name!);
}

it.each(TEMPLATES)('init from %s, then run with the simulator, completes', async (template) => {
  expect((await cli('init', '--template', template)).code).toBe(0);
  const { code, stdout, stderr } = await cli('run', '--model', 'sim-fast', '--yes');
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^✓ complete/);
});

it('the schema that a new manifest names is there, and the manifest follows it', async () => {
  for (const [index, template] of TEMPLATES.entries()) {
    const file = `plans/${index}.yaml`;
    expect((await cli('init', file, '--template', template)).code).toBe(0);
    const manifest = join(root, file);
    const schema: unknown = JSON.parse(readFileSync(schemaOf(manifest), 'utf8'));
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validate(schema as object, load(readFileSync(manifest, 'utf8')))).toBe(true);
  }
});

it('a project that depends on the package uses the schema of the package', async () => {
  const packaged = join(root, 'node_modules/millrace/schemas');
  await mkdir(packaged, { recursive: true });
  await writeFile(join(packaged, 'manifest.json'), '{}');
  await writeFile(join(root, 'package.json'), '{"devDependencies":{"millrace":"0.1.0"}}');
  expect((await cli('init', 'plans/a.yaml')).code).toBe(0);
  expect(schemaOf(join(root, 'plans/a.yaml'))).toBe(join(packaged, 'manifest.json'));
  expect(existsSync(join(root, 'plans/millrace.schema.json'))).toBe(false);
});

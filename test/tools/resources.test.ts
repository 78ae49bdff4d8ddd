// What assistants can read: the manifest, its plan, the last run, its changes, and executions.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokenCount } from 'tokenx';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOf } from '../../src/cli/commands/mcp/plan-of.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { openProject } from '../../src/orchestrator/index.ts';
import type { ToolDeps } from '../../src/tools/deps.ts';
import { readUri } from '../../src/tools/resources/address.ts';
import { MOST_TOKENS, pageOf } from '../../src/tools/resources/page.ts';
import { effort } from '../support/effort.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { assistantOf, newFolder, toolDeps } from './assistant.ts';
import type { Assistant } from './assistant.ts';

const server = useServer({ defaultModel: 'sim-instant' });
const place = newFolder();
const MANIFEST = `feature: notes
model: sim-instant
streams:
  first:
    name: The first
    owns: [first.md, .env]
    plan: Write it
`;
let settings: Record<string, string>;
let deps: ToolDeps;
let assistant: Assistant;

beforeAll(async () => {
  const { url, createKey } = server();
  const { key } = await createKey({ email: 'reads@example.com' });
  settings = {
    MILLRACE_URL: url,
    MILLRACE_API_KEY: key,
    MILLRACE_STATE_DIR: join(place.folder, 'state'),
    MILLRACE_CONFIG_DIR: join(place.folder, 'config'),
  };
  const project = await openProject(place.root, settings['MILLRACE_STATE_DIR']!);
  const known = { env: {}, defaultModel: undefined };
  deps = {
    ...toolDeps({ url, key }),
    workspace: {
      ...project,
      allowed: [],
      applyCommand: (id) => `millrace apply ${id}`,
      makePlan: (text) => planOf(project, text, known),
    },
  };
  assistant = await assistantOf(deps);
});
afterAll(async () => {
  await assistant.close();
  place.remove();
});

async function read(uri: string, by = assistant) {
  const { contents } = await by.client.readResource({ uri });
  return contents.map((each) => ('text' in each ? each.text : ''));
}
const uris = async (by = assistant) =>
  (await by.client.listResources()).resources.map(({ uri }) => uri);
/** How the client sees it: an error that echoes the URI is a resource that is not there. */
const absent = (uri: string, message: RegExp) => ({
  code: -32602,
  message: expect.stringMatching(message),
  data: { uri },
});
const millrace = (...args: string[]) => runHere(['-C', place.root, ...args], settings);

describe('of the project', () => {
  it('there is nothing before there is a manifest or a run, and it says so', async () => {
    await expect(assistant.client.getPrompt({ name: 'review_run' })).rejects.toThrow('no runs');
    expect(await uris()).toEqual([]);
    for (const uri of ['millrace://project/manifest', 'millrace://project/plan']) {
      await expect(read(uri)).rejects.toMatchObject(
        absent(uri, /no millrace\.yaml.*millrace init/),
      );
    }
    for (const uri of ['millrace://runs/latest', 'millrace://runs/latest/diff']) {
      await expect(read(uri)).rejects.toMatchObject(absent(uri, /no runs in this project yet/));
    }
  });

  it('the manifest and its plan, as the command line has them', async () => {
    const file = join(place.root, 'millrace.yaml');
    writeFileSync(file, MANIFEST);
    expect(await read('millrace://project/manifest')).toEqual([MANIFEST]);
    const [plan] = await read('millrace://project/plan');
    const { stdout } = await millrace('plan', '--json');
    expect(JSON.parse(plan!)).toEqual(JSON.parse(stdout));
    writeFileSync(file, 'streams: 3\n');
    const [broken] = await read('millrace://project/plan');
    expect(JSON.parse(broken!)).toMatchObject({
      error: { code: 'MANIFEST_INVALID', problems: [{ line: 1 }] },
    });
    writeFileSync(file, MANIFEST);
  });

  it('a manifest cannot be a way to another file: a project may come from anybody', async () => {
    // A project of its own, and a file that nobody misses: whatever fails, nothing is written through a link.
    const root = join(place.folder, 'linked');
    mkdirSync(root);
    writeFileSync(join(place.folder, 'outside.txt'), 'not yours\n');
    writeFileSync(join(root, '.env'), 'KEY=1\n');
    const linked = await assistantOf({ ...deps, workspace: { ...deps.workspace!, root } });
    for (const [target, why] of [
      ['../outside.txt', /leads out of the project/],
      ['.env', /may hold secrets/],
    ] as const) {
      symlinkSync(target, join(root, 'millrace.yaml'));
      for (const uri of ['millrace://project/manifest', 'millrace://project/plan']) {
        await expect(read(uri, linked)).rejects.toMatchObject(absent(uri, why));
      }
      rmSync(join(root, 'millrace.yaml'));
    }
    await linked.close();
  });

  it('the last run and what it changed, without the files that are never shown', async () => {
    const ran = await millrace('run', '--yes');
    expect(ran).toMatchObject({ code: 0 });
    expect(await uris()).toEqual([
      'millrace://project/manifest',
      'millrace://project/plan',
      'millrace://runs/latest',
      'millrace://runs/latest/diff',
    ]);
    const [run] = await read('millrace://runs/latest');
    const { stdout } = await millrace('status', '--json');
    expect(JSON.parse(run!)).toEqual(JSON.parse(stdout));
    const [diff, notes] = await read('millrace://runs/latest/diff');
    expect(diff).toContain('+++ b/first.md');
    expect(diff).not.toContain('.env');
    expect(notes).toBe('Left out: .env may hold secrets.');
  });
});

describe('prompts', () => {
  const texts = async (name: string, given?: Record<string, string>) => {
    const asked = { name, ...(given && { arguments: given }) };
    const { messages } = await assistant.client.getPrompt(asked);
    return messages.map(({ content }) =>
      content.type === 'resource' && 'text' in content.resource
        ? `${content.resource.uri} ${content.resource.text}`
        : content.type === 'text'
          ? content.text
          : content.type,
    );
  };

  it('plan a task as a manifest: a valid example, a plan before the file, and nothing run unasked; they list the files that may be shown', async () => {
    const { prompts } = await assistant.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['plan_manifest', 'review_run', 'fix_failed']);
    const [task, guide, files] = await texts('plan_manifest', { task: 'Add a shop' });
    expect(task).toContain('Add a shop');
    const steps = ['millrace_execute', 'dryRun: true', 'Show me the plan', 'Write the manifest'];
    const places = [...steps, 'millrace://project/plan', 'millrace run'].map((each) =>
      task!.indexOf(each),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(guide!) ?? [];
    expect(parseManifest(example)).toMatchObject({ kind: 'manifest', problems: [] });
    expect(files).toContain('\na.ts\n');
    expect(files).not.toContain('.env');
    expect(estimateTokenCount(`${task}${guide}`)).toBeLessThan(700);
  });

  it('have the last run with them', async () => {
    const [, run, diff] = await texts('review_run');
    expect(run).toMatch(/^millrace:\/\/runs\/latest \{"runId":/);
    expect(diff).toMatch(/^millrace:\/\/runs\/latest\/diff diff --git/);
    // Arguments that a host adds change nothing.
    expect(await texts('review_run', { wait_for_previous: 'true' })).toContain(run);
    const [, state, manifest] = await texts('fix_failed');
    expect(state).toBe(run);
    expect(manifest).toMatch(/^millrace:\/\/project\/manifest feature: notes\n/);
  });

  it.each([
    ['nope', {}, /Unknown prompt "nope"\. Prompts: plan_manifest, /],
    ['toString', {}, /Unknown prompt/],
    ['plan_manifest', {}, /task is required/],
    ['plan_manifest', { task: ' ' }, /task is required/],
    ['plan_manifest', { task: 'x'.repeat(4001) }, /longer than 4000/],
    ['review_run', { id: '../../v1/keys' }, /id is not the id of an execution/],
  ])('%s: what is wrong with its arguments is said', async (name, given, why) => {
    await expect(texts(name, given)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(why),
    });
  });
});

describe('of executions', () => {
  it('the state, and each artifact with its texts; results name them', async () => {
    const params = { name: 'millrace_execute', arguments: { task: 'Add files' } };
    const { content, structuredContent } = await assistant.client.callTool(params);
    const { executionId, result } = structuredContent as {
      executionId: string;
      result: { artifacts: { streamId: string }[]; texts: string };
    };
    // Nothing besides: some hosts show links first.
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    const links = result.artifacts.map((_, n) => result.texts.replace('{n}', String(n)));
    expect(links.length).toBeGreaterThan(0);
    for (const [index, uri] of links.entries()) {
      expect(uri).toBe(`millrace://executions/${executionId}/artifacts/${index}`);
      const [text] = await read(uri);
      expect(JSON.parse(text!)).toMatchObject({
        streamId: result.artifacts[index]!.streamId,
        operations: [{ type: 'create', content: expect.any(String) }],
      });
    }
    expect(await uris()).toContain(`millrace://executions/${executionId}`);
    const [state] = await read('millrace://executions/latest');
    expect(JSON.parse(state!)).toMatchObject({ executionId, status: 'success' });
    // It is newer than the run of the manifest, so the prompts are about it, by itself or by its id.
    for (const given of [{}, { id: executionId }]) {
      const prompt = async (name: string) =>
        JSON.stringify((await assistant.client.getPrompt({ name, arguments: given })).messages);
      const review = await prompt('review_run');
      expect(review).toContain(`Review the execution ${executionId}`);
      for (const uri of links) expect(review).toContain(`"uri":"${uri}"`);
      const fix = await prompt('fix_failed');
      expect(fix).toContain(`The execution ${executionId} of Millrace`);
      expect(fix).toContain(`"uri":"millrace://executions/${executionId}"`);
    }
    const beyond = `millrace://executions/${executionId}/artifacts/99`;
    await expect(read(beyond)).rejects.toMatchObject(absent(beyond, /there is no 99/));
  });

  it('the manifest of a dry run, also where it is too long for the answer', async () => {
    const planned = async (steps: number) => {
      const task = `Add files [[sim:plan ${steps} steps 2 waves]]`;
      const given = { task, dryRun: true, maxSteps: 100 };
      const params = { name: 'millrace_execute', arguments: given };
      const { structuredContent } = await assistant.client.callTool(params);
      const { executionId, result } = structuredContent as {
        executionId: string;
        result: { plan: { manifest?: string; manifestAt?: string } };
      };
      const [text] = await read(`millrace://executions/${executionId}/manifest`);
      expect(parseManifest(text!)).toMatchObject({ kind: 'manifest', problems: [] });
      return { ...result.plan, uri: `millrace://executions/${executionId}/manifest`, text: text! };
    };
    const short = await planned(3);
    expect(short.manifest).toBe(short.text);
    expect(short).not.toHaveProperty('manifestAt');
    const long = await planned(60);
    expect(long).toMatchObject({ manifestAt: long.uri });
    expect(long).not.toHaveProperty('manifest');
  });

  it('no manifest of one that was no dry run', async () => {
    const params = { name: 'millrace_execute', arguments: { task: 'Just do it' } };
    const { structuredContent } = await assistant.client.callTool(params);
    const { executionId } = structuredContent as { executionId: string };
    const uri = `millrace://executions/${executionId}/manifest`;
    await expect(read(uri)).rejects.toMatchObject(absent(uri, /has no manifest/));
  });

  it('without a workspace there are these alone', async () => {
    const remote = await assistantOf({ ...deps, workspace: undefined });
    expect(await uris(remote)).toEqual([]);
    const { extensions: _, ...offered } = remote.client.getServerCapabilities()!;
    expect(offered).toEqual({ tools: {}, resources: {} });
    expect((await remote.client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const [text] = await read('millrace://executions/latest', remote);
    expect(JSON.parse(text!)).toMatchObject({ status: 'success' });
    for (const uri of ['millrace://project/manifest', 'millrace://runs/latest/diff']) {
      await expect(read(uri, remote)).rejects.toMatchObject(absent(uri, /no workspace/));
    }
    await remote.close();
  });

  it('another one is not there, and a server that cannot be asked is another matter', async () => {
    const unknown = 'millrace://executions/exec_01jd0000000000000000000000';
    await expect(read(unknown)).rejects.toMatchObject(absent(unknown, /./));
    const lost = await assistantOf({
      ...deps,
      ...toolDeps({ url: 'http://127.0.0.1:1', key: 'x' }),
    });
    await expect(read(unknown, lost)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('SERVER_UNREACHABLE'),
    });
    await lost.close();
  });
});

describe('a URI', () => {
  it.each([
    '',
    'file:///etc/passwd',
    'millrace://',
    'millrace://project/manifest/../../etc/passwd',
    'millrace://project/%2e%2e/manifest',
    'millrace://project/manifest?from=-1',
    'millrace://project/manifest?from=1e3',
    'millrace://project/manifest?from=1?from=2',
    'millrace://project/manifest?file=.env',
    'millrace://project/manifest#x',
    'MILLRACE://project/manifest',
    'millrace://user@project/manifest',
    'millrace://runs/run_1',
    'millrace://executions/../keys',
    'millrace://executions/exec_01jd0000000000000000000000/../../keys',
    'millrace://executions/exec_01jd0000000000000000000000/artifacts/-1',
    'millrace://executions/exec_01jd0000000000000000000000/artifacts/01',
    'millrace://executions/exec_01jd0000000000000000000000/artifacts/0/..',
    'millrace://executions/exec_01jd0000000000000000000000%00/artifacts/0',
  ])('%s names nothing', async (uri) => {
    expect(readUri(uri)).toBeUndefined();
    await expect(read(uri)).rejects.toMatchObject(absent(uri, /no such resource/));
  });
});

describe('a long text', () => {
  it('comes in pages that make up the whole, and each says where the next begins', async () => {
    const plan = `# ${'A remark about notes.\n# '.repeat(4000)}\n${MANIFEST}`;
    writeFileSync(join(place.root, 'millrace.yaml'), plan);
    let uri: string | undefined = 'millrace://project/manifest';
    let whole = '';
    let pages = 0;
    while (uri !== undefined) {
      const [text = '', more = ''] = await read(uri);
      expect(estimateTokenCount(text)).toBeLessThanOrEqual(MOST_TOKENS);
      whole += text;
      pages += 1;
      uri = /characters left out\. Read the rest: (\S+)$/.exec(more)?.[1];
    }
    expect(whole).toBe(plan);
    expect(pages).toBeGreaterThan(2);
    const beyond = 'millrace://project/manifest?from=99999999';
    await expect(read(beyond)).rejects.toMatchObject(absent(beyond, /characters/));
    writeFileSync(join(place.root, 'millrace.yaml'), MANIFEST);
  });

  it('whatever is in it', () => {
    const unit = fc.constantFrom('a', '\n', '漢', '😀', '{"x":1},', ' ', 'é'.repeat(50));
    const text = fc
      .tuple(fc.array(unit, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 2500 }))
      .map(([units, times]) => units.join('').repeat(times).slice(0, 200_000));
    fc.assert(
      fc.property(text, (given) => {
        let whole = '';
        for (let from: number | undefined = 0; from !== undefined;) {
          const page = pageOf(given, from);
          if (page.text.length === 0 && page.next !== undefined) return false;
          if (estimateTokenCount(page.text) > MOST_TOKENS || !page.text.isWellFormed())
            return false;
          whole += page.text;
          from = page.next;
        }
        return whole === given || !given.isWellFormed();
      }),
      { numRuns: effort(10) },
    );
  });
});

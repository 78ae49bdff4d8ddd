// What goes over the wire: the parts of a prompt, the marks for caching, limits and the key.
import { describe, expect, it } from 'vitest';
import { VENDORS } from '../support/vendor/index.ts';
import type { Vendor, VendorCall } from '../support/vendor/index.ts';
import { freshKey, useVendorJobs } from './vendor-jobs.ts';

const chat = useVendorJobs();
const responses = useVendorJobs({}, { responses: true });
const jobsFor = (vendor: Vendor) => (vendor === 'openai' ? responses() : chat());

interface Part {
  text: string;
  /** What the vendor was told about caching up to the end of this part. */
  mark?: unknown;
}

type Json = Record<string, unknown>;

function parts(content: unknown): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  return (content as Json[]).map((part) => {
    const mark = part['cache_control'] ?? part['prompt_cache_breakpoint'];
    return { text: part['text'] as string, ...(mark === undefined ? {} : { mark }) };
  });
}

/** System and user parts of a request, in the vendor's own format. */
function layout(vendor: Vendor, body: Json): { system: Part[]; user: Part[]; turns: number } {
  if (vendor === 'google') {
    const contents = body['contents'] as Json[];
    const system = body['systemInstruction'] as Json | undefined;
    return {
      system: system ? parts(system['parts']) : [],
      user: parts(contents[0]!['parts']),
      turns: contents.length,
    };
  }
  const turns = (vendor === 'openai' ? body['input'] : body['messages']) as Json[];
  const users = turns.filter((turn) => turn['role'] === 'user');
  const systems = turns.filter((turn) => turn['role'] !== 'user');
  const system = vendor === 'anthropic' ? body['system'] : systems[0]?.['content'];
  return {
    system: system === undefined ? [] : parts(system),
    user: parts(users[0]!['content']),
    turns: users.length,
  };
}

const long = (word: string) => `${word} `.repeat(1500);

let ids = 0;
async function send(vendor: Vendor, structured: Record<string, string>, body: object = {}) {
  const { run, vendors } = jobsFor(vendor);
  const id = `wire-${++ids}`;
  const taskContent = `${structured['taskContent'] ?? ''}[[vendor:reply id=${id}]]`;
  const structuredPrompt = { ...structured, taskContent };
  const order = ['systemContent', 'projectContext', 'streamContext', 'taskContent'] as const;
  const prompt = order
    .map((name) => (structuredPrompt as Record<string, string>)[name] ?? '')
    .join('');
  const job = await run(vendor, prompt, { body: { structuredPrompt, ...body } });
  expect(job.status).toBe('completed');
  const calls = vendors.calls({ id });
  expect(calls).toHaveLength(1);
  const call = calls[0] as VendorCall & { body: Json };
  return { call, taskContent, ...layout(vendor, call.body) };
}

const EPHEMERAL = { type: 'ephemeral' };
const BREAKPOINT = { mode: 'explicit' };
const KEY_HEADERS: Readonly<Record<Vendor, (key: string) => [string, string]>> = {
  anthropic: (key) => ['x-api-key', key],
  openai: (key) => ['authorization', `Bearer ${key}`],
  compatible: (key) => ['authorization', `Bearer ${key}`],
  google: (key) => ['x-goog-api-key', key],
  openrouter: (key) => ['authorization', `Bearer ${key}`],
};

describe.each(VENDORS)('%s', (vendor) => {
  const marksWith = { anthropic: EPHEMERAL, openrouter: EPHEMERAL, openai: BREAKPOINT }[
    vendor as string
  ];
  const model = vendor === 'openai' ? { model: 'gpt-5.6' } : {};
  const marked = (text: string) => (marksWith ? { text, mark: marksWith } : { text });

  it('gets the parts of a prompt apart and in order, and short ones without marks', async () => {
    const structured = {
      systemContent: 'You are a miller. ',
      projectContext: 'The mill is old. ',
      streamContext: 'The stream is fast. ',
      taskContent: 'Mend the wheel. ',
    };
    const { system, user, turns, taskContent } = await send(vendor, structured, model);
    expect(system).toEqual([{ text: 'You are a miller. ' }]);
    expect(user).toEqual([
      { text: 'The mill is old. ' },
      { text: 'The stream is fast. ' },
      { text: taskContent },
    ]);
    expect(turns).toBe(1);
  });

  it('is told where a prefix ends that is long enough to be cached', async () => {
    const structured = {
      systemContent: 'You are a miller. ',
      projectContext: long('wheel'),
      streamContext: 'The stream is fast. ',
    };
    const { system, user, taskContent } = await send(vendor, structured, model);
    expect(system).toEqual([{ text: 'You are a miller. ' }]);
    expect(user).toEqual([
      marked(long('wheel')),
      marked('The stream is fast. '),
      { text: taskContent },
    ]);
  });

  it('is told so of the system part too', async () => {
    const { system, user, taskContent } = await send(
      vendor,
      { systemContent: long('rule') },
      model,
    );
    expect(system).toEqual([marked(long('rule'))]);
    expect(user).toEqual([{ text: taskContent }]);
  });

  it('gets the token limit and the temperature', async () => {
    const asked = { maxTokens: 321, temperature: 0.25 };
    // Some models refuse a temperature, and are then sent none.
    const plain = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-4.1' }[vendor as string];
    const { call } = await send(vendor, {}, { ...asked, ...(plain && { model: plain }) });
    const { body } = call;
    const settings = vendor === 'google' ? (body['generationConfig'] as Json) : body;
    const limits = { google: 'maxOutputTokens', openai: 'max_output_tokens' };
    const limit = (limits as Record<string, string>)[vendor] ?? 'max_tokens';
    expect(settings).toMatchObject({ [limit]: 321, temperature: 0.25 });
    const { call: without } = await send(vendor, {}, plain ? { model: plain } : {});
    expect(JSON.stringify(without.body)).not.toContain('temperature');
  });

  it('gets the key in its own header and nowhere else', async () => {
    const { run, vendors } = jobsFor(vendor);
    const id = `wire-${++ids}`;
    const providerKey = freshKey();
    await run(vendor, `[[vendor:reply id=${id}]]`, { providerKey });
    const [call] = vendors.calls({ id });
    const [name, value] = KEY_HEADERS[vendor](providerKey);
    expect(call!.headers[name]).toBe(value);
    const others = Object.entries(call!.headers).filter(([header]) => header !== name);
    expect(JSON.stringify([others, call!.path, call!.body])).not.toContain(providerKey);
  });

  it('cannot send a call with its key elsewhere', async () => {
    const { run, vendors } = jobsFor(vendor);
    await Promise.all(
      [301, 302, 307, 308].map(async (status) => {
        const job = await run(vendor, `[[vendor:fault name=redirect status=${status}]]`);
        expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_NETWORK' });
      }),
    );
    expect(vendors.calls().filter(({ path }) => path.startsWith('/elsewhere'))).toEqual([]);
  });
});

it('a prompt without parts is one part', async () => {
  for (const vendor of VENDORS) {
    const { run, vendors } = jobsFor(vendor);
    const id = `wire-${++ids}`;
    const prompt = `${long('grain')}[[vendor:reply id=${id}]]`;
    await run(vendor, prompt);
    const { system, user } = layout(vendor, vendors.calls({ id })[0]!.body as Json);
    expect({ system, user }).toEqual({ system: [], user: [{ text: prompt }] });
  }
});

describe("OpenAI's own API", () => {
  it('gets a cache key that jobs of one run share, and breakpoints from 5.6 on only', async () => {
    const parts = { projectContext: long('race') };
    const inRun = { runId: 'run-of-one-cache' };
    const bodyOf = async (more: object) => (await send('openai', parts, more)).call.body;
    const newer = await bodyOf({ model: 'gpt-5.6', ...inRun });
    const older = await bodyOf({ model: 'gpt-5.2', ...inRun });
    const other = await bodyOf({ model: 'gpt-5.2' });
    expect(newer).toMatchObject({ store: false, prompt_cache_options: { mode: 'explicit' } });
    expect(JSON.stringify(older)).not.toMatch(/breakpoint|prompt_cache_options/);
    expect(older['prompt_cache_key']).toBe(newer['prompt_cache_key']);
    expect(other['prompt_cache_key']).not.toBe(newer['prompt_cache_key']);
    expect(String(newer['prompt_cache_key']).length).toBeLessThanOrEqual(64);
  });

  it('is not imitated towards a compatible server', async () => {
    const { call } = await send('compatible', { projectContext: long('race') });
    expect(call.path).toBe('/compatible/v1/chat/completions');
    expect(JSON.stringify(call.body)).not.toMatch(/cache|store/i);
  });
});

// What agents call: counted once and to the cent, stopped at every limit, and nothing but models.
import { afterEach, describe, expect, it } from 'vitest';
import { NO_SANDBOX } from '../sandbox/world.ts';
import type { RawAnswer } from '../support/raw-vendor.ts';
import { ANSWER, CALL_USD, USAGE, useAgents } from './world.ts';

const OTHER_MODEL = 'claude-opus-4-5';
/** Of the model: what one call reserves is a little more than its 100 tokens of output. */
const TWO_CALLS = 2.5 * CALL_USD;

const work = (id: string) => `mkdir('${id}', { recursive: true }); write('${id}/a', 'right');`;

describe.skipIf(NO_SANDBOX !== undefined)('the calls of agents', () => {
  const world = useAgents();
  afterEach(() => {
    world.vendor().answer(ANSWER);
    world.vendor().calls.length = 0;
  });

  const stream = (id: string, body: string, more: object = {}) => {
    world.agent(id, body);
    return { name: id, plan: 'Do it.', agent: id, owns: [`${id}/`], ...more };
  };

  it('are in the ledger, the history and the journal as the vendor counted them', async () => {
    const place = world.project({
      one: stream('one', `read(); for (let i = 0; i < 3; i++) await call(); ${work('one')}`),
      two: stream(
        'two',
        `const again = read().includes('What went wrong'); await call(); mkdir('two', { recursive: true }); write('two/a', again ? 'right' : 'wrong');`,
        { verify: ['grep -q right two/a'] },
      ),
      three: stream(
        'three',
        `const again = read().includes('# Refused'); await call(); ${work('three')} again ? remove('x') : write('x', '');`,
      ),
    });
    const ran = await world.run(place);
    expect(ran.status).toBe('complete');
    const asks = ran.events.flatMap((event) =>
      event.type === 'stream.call' && event.call > 1 ? [event.asks] : [],
    );
    expect(asks).toEqual(['refused']);
    const paid = world.vendor().calls.length;
    expect(paid).toBe(3 + 2 + 2);
    const calls = await world.calls(ran.runId);
    expect(calls).toHaveLength(paid);
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set(['completed']));
    const { tokens, costUsd } = ran.totals;
    expect(tokens).toMatchObject({ input: paid * USAGE.input, output: paid * USAGE.output });
    expect(costUsd).toBeCloseTo(paid * CALL_USD, 9);
    const { body } = await world.node().call('GET', `/api/v1/history/${ran.runId}`, {
      key: world.server.key,
    });
    const { run, streams } = body as {
      run: { totalCostUsd: number };
      streams: { tokensInput: number; tokensOutput: number }[];
    };
    expect(run.totalCostUsd).toBeCloseTo(paid * CALL_USD, 9);
    expect(streams.reduce((sum, one) => sum + one.tokensOutput, 0)).toBe(paid * USAGE.output);
    expect(streams.reduce((sum, one) => sum + one.tokensInput, 0)).toBe(paid * USAGE.input);
  });

  it('are no more than the stream may make, however they are written', async () => {
    const loop = (path: string) =>
      `const got = []; for (let i = 0; i < 9; i++) got.push((await call({}, '${path}')).status);
       ${work('x')}`;
    const place = world.project({
      plainly: stream('plainly', loop('/v1/messages'), { maxTurns: 3 }),
      hidden: stream('hidden', loop('/v1/%6dessages'), { maxTurns: 3 }),
      query: stream('query', loop('/v1/messages?x=:countTokens'), { maxTurns: 3 }),
      again: stream(
        'again',
        `read(); for (let i = 0; i < 2; i++) await call(); ${work('again')} write('x', '');`,
        { maxTurns: 3 },
      ),
    });
    const ran = await world.run(place, { maxAttempts: 1 });
    const states = place.streams();
    for (const id of ['plainly', 'hidden', 'query', 'again']) {
      expect(states[id]!.error, id).toContain(`${id} made 3 model calls without finishing`);
    }
    expect(world.vendor().calls.length).toBeLessThanOrEqual(3 * 4);
    expect(Object.keys(place.tree())).toEqual(['millrace.yaml']);
    expect(ran.status).toBe('failed');
  });

  it('fail a stream at its cap with its fixes, and pause a run at its own', async () => {
    const forever = `for (;;) { const { status, text } = await call(); if (status !== 200) { console.log(text); await sleep(50); } }`;
    const capped = world.project({
      spender: stream('spender', forever, { maxCostUsd: TWO_CALLS }),
      wrong: stream(
        'wrong',
        `await call(); mkdir('wrong', { recursive: true }); write('wrong/a', 'wrong');`,
        {
          verify: ['grep -q right wrong/a'],
          maxCostUsd: TWO_CALLS,
        },
      ),
    });
    const ended = await world.run(capped);
    expect(ended.status).toBe('failed');
    const failures = ended.events.filter((event) => event.type === 'stream.failed');
    expect(failures.find(({ stream: id }) => id === 'spender')).toMatchObject({ class: 'budget' });
    expect(failures.at(-1)).toMatchObject({ class: 'budget' });
    for (const id of ['spender', 'wrong']) {
      const used = failures.filter((each) => each.stream.startsWith(id));
      const sum = used.reduce((total, each) => total + (each.costUsd ?? Infinity), 0);
      expect(sum, id).toBeLessThanOrEqual(TWO_CALLS);
      expect(sum, id).toBeGreaterThan(0);
    }
    const run = world.project({ spender: stream('spender', forever, { maxCostUsd: 1 }) });
    const paused = await world.run(run, { maxCostUsd: TWO_CALLS });
    expect([paused.status, paused.halt?.kind]).toEqual(['paused', 'budget']);
    expect(paused.totals.costUsd).toBeLessThanOrEqual(TWO_CALLS);
    expect(paused.totals.costUsd).toBeGreaterThan(0);
  });

  it.each(['the run', 'the stream'])(
    'wait for what other calls of %s hold and will give back',
    async (whose) => {
      // Either of the two large ones fits, both do not; what they cost fits easily.
      const large = `call({ max_tokens: 1000 })`;
      const body = (id: string, calls: string) => `${calls} ${work(id)}`;
      const second = `const waits = ${large}; await sleep(300); await call({ max_tokens: 1 }); await waits;`;
      const limitUsd = (1000 * 15) / 1e6 + 6 * CALL_USD;
      const small = Promise.withResolvers<void>();
      const answer = ({ body: sent }: { body: Buffer }): RawAnswer => {
        const isSmall = sent.includes('"max_tokens":1,');
        if (isSmall) small.resolve();
        const isFirst = !isSmall && world.vendor().calls.length === 1;
        return { ...ANSWER, ...(isFirst && { before: () => small.promise }) };
      };
      world.vendor().answer(answer);
      const both = stream(
        'both',
        body('both', `const held = ${large}; await sleep(300); ${second} await held;`),
        { maxCostUsd: limitUsd },
      );
      const streams =
        whose === 'the stream'
          ? { both }
          : {
              one: stream('one', body('one', `await ${large};`)),
              two: stream('two', body('two', second)),
            };
      const place = world.project(streams);
      const ran = await world.run(place, whose === 'the run' ? { maxCostUsd: limitUsd } : {});
      expect(ran.status, JSON.stringify(place.streams())).toBe('complete');
      expect(world.vendor().calls).toHaveLength(3);
      expect(ran.totals.costUsd).toBeCloseTo(3 * CALL_USD, 9);
      const turns = ran.events.flatMap((event) => (event.type === 'agent.turn' ? [event.ok] : []));
      expect(turns).toEqual([true, true, true]);
    },
  );

  it('reach nothing but the models of their stream', async () => {
    const probe = `const root = base.replace('/model/anthropic', ''); const said = {};
      for (const path of ['/mcp', '/api/v1/jobs', '/metrics', '/', '/model/../api/v1/jobs', '/v1/stream-tokens', '/model/%2e%2e/metrics'])
        said[path] = (await fetch(root + path).catch(() => ({ status: 0 }))).status;
      said.other = (await call({ model: '${OTHER_MODEL}' })).status;
      said.host = await fetch('http://example.com').then(() => 'open', () => 'shut');
      said.secrets = Object.entries(process.env).filter(([, value]) => /sk-of|mill_/.test(value)).length;
      mkdir('probe'); write('probe/a', JSON.stringify(said));`;
    const place = world.project({ probe: stream('probe', probe) });
    const ran = await world.run(place);
    const { other, host, secrets, ...paths } = JSON.parse(place.read('probe/a'));
    expect([other, host, secrets]).toEqual([403, 'shut', 0]);
    expect(new Set(Object.values(paths))).toEqual(new Set([404]));
    expect(world.vendor().calls).toEqual([]);
    expect(ran.totals.costUsd).toBe(0);
    expect(ran.events.filter(({ type }) => type === 'agent.turn')).toHaveLength(1);
  });

  it('that a vendor breaks off are broken off for the agent, and counted', async () => {
    const start = `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}\n\n`;
    world.vendor().answer({
      headers: { 'content-type': 'text/event-stream' },
      pieces: [start],
      breaksOff: true,
    });
    const body = `let end; try { end = (await call({ stream: true })).text.includes('message_stop') ? 'whole' : 'half'; } catch { end = 'broken'; }
      mkdir('half'); write('half/a', end);`;
    const place = world.project({ half: stream('half', body) });
    const ran = await world.run(place);
    expect(place.read('half/a')).toBe('broken');
    expect(ran.totals.tokens.input).toBe(USAGE.input);
    const [call] = await world.calls(ran.runId);
    expect(call).toMatchObject({ status: 'failed' });
  });
});

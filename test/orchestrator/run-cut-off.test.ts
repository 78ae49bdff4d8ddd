// Answers that ended because no more tokens were allowed.
import { describe, expect, it } from 'vitest';
import { feature, reply } from './project.ts';
import type { Project, Ran } from './project.ts';
import { useProjects } from './use-projects.ts';

const { server, project: create } = useProjects();

const project = (streams: Record<string, object>) => create(streams, { 'old.txt': 'as it was\n' });

const failedOf = ({ events }: Ran, stream: string) =>
  events.find((event) => event.type === 'stream.failed' && event.stream === stream);

const textAt = (maxTokens: number) =>
  `The answer was cut off at ${maxTokens} tokens (maxTokens): raise maxTokens of this stream, or split it.`;

/** Files but for the manifest, which keeps the states. */
function treeOf(place: Project): Record<string, string> {
  const { 'millrace.yaml': _, ...files } = place.tree();
  return files;
}

describe('an answer that was cut off', () => {
  const streams = (maxTokens: number) => ({
    a: { name: 'A', owns: ['a.txt'], maxTokens, plan: reply({ 'a.txt': 'one two three four\n' }) },
    b: { name: 'B', deps: ['a'], owns: ['b.txt'], plan: reply({ 'b.txt': 'b\n' }) },
  });

  it('is asked once more with twice the tokens, then fails its stream with what to do', async () => {
    const place = project(streams(7));
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(failedOf(ran, 'a')).toMatchObject({
      error: textAt(14),
      class: 'cut-off',
      retryable: false,
      mayFix: false,
    });
    expect(ran.of('a').filter((type) => type === 'stream.call')).toHaveLength(2);
    expect(ran.events.map(({ type }) => type)).not.toContain('stream.fix');
    expect(Object.keys(place.streams())).toEqual(['a', 'b']);
    expect(place.streams()['a']).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: textAt(14),
    });
    expect(treeOf(place)).toEqual({ 'old.txt': 'as it was\n' });
  });

  it('is asked for anew by the next run, with the cap that stands in the manifest then', async () => {
    const place = project(streams(7));
    await place.run(server);
    place.write('millrace.yaml', feature(streams(4000)));
    const again = await place.run(server);
    expect(again.status).toBe('complete');
    expect(place.read('a.txt')).toBe('one two three four\n');
  });

  it('is not applied even if it holds a block that is whole', async () => {
    const plan = reply({ 'a.txt': 'one\n' });
    const whole = await project({ a: { name: 'A', owns: ['a.txt'], plan } }).run(server);
    expect(whole.status).toBe('complete');
    const maxTokens = whole.totals.tokens.output + 5;
    const more = plan.replace('[[/sim:reply]]', `\n${'And then the second file. '.repeat(50)}$&`);
    const place = project({ a: { name: 'A', owns: ['a.txt'], plan: more, maxTokens } });
    const ran = await place.run(server);
    expect(failedOf(ran, 'a')).toMatchObject({ class: 'cut-off', error: textAt(2 * maxTokens) });
    expect(treeOf(place)).toEqual({ 'old.txt': 'as it was\n' });
  });

  it('does not pass for an answer that has only words', async () => {
    const place = project({ a: { name: 'A', maxTokens: 5, plan: reply({ 'a.txt': 'one\n' }) } });
    const ran = await place.run(server);
    expect(failedOf(ran, 'a')).toMatchObject({ class: 'cut-off', error: textAt(10) });
  });

  it('is not kept for later either', async () => {
    const place = project(streams(7));
    const ran = await place.run(server, { apply: 'never' });
    expect(failedOf(ran, 'a')).toMatchObject({ class: 'cut-off' });
  });
});

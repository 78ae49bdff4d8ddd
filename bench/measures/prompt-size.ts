// How much of a stream's prompt it did not ask for. Files that several streams read come first in their prompts,
// for the cache of the vendor; what others read, and not the stream itself, would be paid for with every call.
import { estimateTokenCount } from 'tokenx';
import { runCommand } from '../harness/run-command.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const STREAMS = 64;
const GROUPS = 16;
const FILES_OF_A_GROUP = 3;
const LINES = 80;

const own = (stream: number) => `own-${stream}.md`;
const readBy = (stream: number) => {
  const group = stream % GROUPS;
  return [
    'all.md',
    ...Array.from({ length: FILES_OF_A_GROUP }, (_, at) => `group-${group}-${at}.md`),
  ];
};

function textOf(path: string): string {
  const line = (at: number) =>
    `Rule ${at} of ${path}: what has to hold in this part of the project.\n`;
  return Array.from({ length: LINES }, (_, at) => line(at)).join('');
}

function project(): Record<string, string> {
  const numbers = Array.from({ length: STREAMS }, (_, at) => at);
  const streams = numbers.map(
    (i) =>
      `  s${i}:\n    name: Stream ${i}\n    owns: [${own(i)}]\n    reads: [${readBy(i).join(', ')}]\n    plan: "Bring ${i} up to date."\n`,
  );
  const head = `feature: prompts\nmodel: sim-instant\nmaxTokens: 500\nstreams:\n`;
  const paths = new Set(numbers.flatMap((i) => [own(i), ...readBy(i)]));
  const texts = Array.from(paths, (path) => [path, textOf(path)]);
  return { ...Object.fromEntries(texts), 'millrace.yaml': head + streams.join('') };
}

/** The files in a prompt, by the line that stands before each. */
function shownIn(prompt: string): { path: string; tokens: number }[] {
  return prompt
    .split(/^File: /m)
    .slice(1)
    .map((block) => {
      const path = block.slice(0, block.indexOf('\n'));
      const text = /^(`{3,})\w+[^\n]*\n([\s\S]*?)^\1$/m.exec(block)?.[2] ?? block;
      return { path, tokens: estimateTokenCount(text) };
    });
}

async function promptsOf({ db }: Stage): Promise<{ stream: number; prompt: string }[]> {
  const { rows } = await db.query<{ stream_id: string; prompt: string }>(
    'select stream_id, prompt from jobs order by stream_id',
  );
  return rows.map(({ stream_id, prompt }) => ({
    stream: Number(stream_id.slice(1)),
    prompt: JSON.parse(prompt) as string,
  }));
}

export async function measurePromptSize(stage: Stage): Promise<Figure[]> {
  await runCommand(stage, project(), ['--concurrency', '16']);
  const prompts = await promptsOf(stage);
  if (prompts.length !== STREAMS) throw new Error(`there are ${prompts.length} prompts`);
  let asked = 0;
  let others = 0;
  let whole = 0;
  for (const { stream, prompt } of prompts) {
    const wanted = new Set([own(stream), ...readBy(stream)]);
    for (const { path, tokens } of shownIn(prompt)) {
      if (wanted.has(path)) asked += tokens;
      else others += tokens;
    }
    whole += estimateTokenCount(prompt);
  }
  const beside = { what: 'tokens of what it owns and reads', value: asked / STREAMS };
  return [
    {
      id: 'P19',
      what: `files in a prompt that are for other streams, ${STREAMS} streams in ${GROUPS} groups`,
      value: others / STREAMS,
      unit: 'tokens',
      beside,
      goal: { ratioAtMost: 0.1 },
    },
    { id: 'P19', what: 'the whole prompt', value: whole / STREAMS, unit: 'tokens', beside },
  ];
}

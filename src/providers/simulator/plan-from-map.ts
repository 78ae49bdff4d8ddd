// A simulated plan for a real repository: the files whose folders or names the task has, else the first of the map,
// in groups that import each other. The same prompt gives the same plan.
import { filesInMap } from '../../domain/prompt/map-lines.ts';
import { proposalAskedFor } from '../../domain/prompt/proposal-prompt.ts';

const MOST_STREAMS = 4;
const MOST_FILES = 8;
const FEW_FILES = 4;
const SHORTEST_WORD = 4;

function taskOf(prompt: string): string {
  const from = prompt.lastIndexOf('\n# Task\n');
  return from < 0 ? '' : prompt.slice(from).split('\n# What was wrong\n')[0]!;
}

function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return new Set(words.filter((word) => word.length >= SHORTEST_WORD));
}

type Files = ReturnType<typeof filesInMap>;

function chosen(files: Files, task: string): Files {
  const words = wordsIn(task);
  const isNamed = ({ path }: Files[number]) =>
    task.includes(path) || [...wordsIn(path)].some((word) => words.has(word));
  const named = files.filter(isNamed);
  return named.length > 0 ? named.slice(0, MOST_FILES) : files.slice(0, FEW_FILES);
}

/** Files that import each other, directly or by others of the same choice, are one group. */
function groupsOf(files: Files): string[][] {
  const group = new Map(files.map(({ path }) => [path, path]));
  const rootOf = (path: string): string => {
    const next = group.get(path)!;
    return next === path ? path : rootOf(next);
  };
  for (const { path, imports } of files) {
    for (const other of imports) if (group.has(other)) group.set(rootOf(other), rootOf(path));
  }
  const groups = Map.groupBy(
    files.map(({ path }) => path),
    rootOf,
  );
  return [...groups.values()];
}

function proposedStreams(prompt: string, allowed: number) {
  const groups = groupsOf(chosen(filesInMap(prompt), taskOf(prompt)));
  const most = Math.max(1, Math.min(allowed, MOST_STREAMS));
  const kept = groups.slice(0, most);
  for (const rest of groups.slice(most)) kept.at(-1)!.push(...rest);
  if (kept.length === 0) kept.push(['NOTES.md']);
  return kept.map((owns, at) => ({
    id: `part-${at + 1}`,
    name: `Simulated part ${at + 1} of ${kept.length}`,
    owns,
    deps: [],
    plan: `Do what the task asks for in ${owns.join(', ')}.`,
  }));
}

/** Undefined when the prompt does not ask for a proposal. */
export function proposalText(prompt: string): string | undefined {
  const allowed = proposalAskedFor(prompt);
  if (allowed === undefined) return undefined;
  const feature = (taskOf(prompt).split('\n')[3] ?? '').slice(0, 60).trim() || 'Simulated';
  const plan = { feature, streams: proposedStreams(prompt, allowed) };
  return `This is a simulated plan.\n\n\`\`\`json\n${JSON.stringify(plan, null, 2)}\n\`\`\`\n`;
}

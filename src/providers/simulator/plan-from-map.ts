// A simulated plan for a real repository: the files whose folders or names the task has, else the first of the map,
// in groups that import each other. The same prompt gives the same plan.
import { filesInMap } from '../../domain/prompt/map-lines.ts';

const MOST_STREAMS = 4;
const MOST_FILES = 8;
const FEW_FILES = 4;
const SHORTEST_WORD = 4;

function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return new Set(words.filter((word) => word.length >= SHORTEST_WORD));
}

type Files = ReturnType<typeof filesInMap>;

/** Those that the task names; else those whose paths have its words; else the first. */
function chosen(files: Files, task: string): Files {
  const words = wordsIn(task);
  const named = files.filter(({ path }) => task.includes(path));
  const alike = files.filter(({ path }) => [...wordsIn(path)].some((word) => words.has(word)));
  const found = named.length > 0 ? named : alike;
  return found.length > 0 ? found.slice(0, MOST_FILES) : files.slice(0, FEW_FILES);
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

function proposedStreams(
  prompt: string,
  { task, maxStreams }: { task: string; maxStreams: number },
) {
  const groups = groupsOf(chosen(filesInMap(prompt), task));
  const most = Math.max(1, Math.min(maxStreams, MOST_STREAMS));
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

export function planFromMap(prompt: string, asked: { task: string; maxStreams: number }) {
  const feature = asked.task.split('\n')[0]!.slice(0, 120).trim() || 'Simulated';
  return { feature, streams: proposedStreams(prompt, asked) };
}

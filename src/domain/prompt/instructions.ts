// What a repository says to all who change its files: the AGENTS.md of its root and of every folder
// down to what a stream owns. Where a folder has none, its CLAUDE.md.
import { estimateTokenCount } from 'tokenx';
import type { Pattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import { contextWindowOf } from '../model/context-window.ts';
import { beginningOf } from './beginning.ts';

/** In a folder the first that is there counts. */
export const INSTRUCTION_NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
export type InstructionName = (typeof INSTRUCTION_NAMES)[number];

export interface InstructionFile {
  path: string;
  text: string;
}

export interface ShownInstruction extends InstructionFile {
  included: 'full' | 'head';
  tokens: number;
}

export interface ShownInstructions {
  /** The root's first. */
  files: readonly ShownInstruction[];
  /** What there was no room for, in whole or in part. */
  cut: readonly { path: string; reason: string }[];
}

export const NO_INSTRUCTIONS: ShownInstructions = { files: [], cut: [] };

export const MAX_INSTRUCTION_TOKENS = 8000;
/** Of the model's window, where that is a small one. */
const SHARE_OF_WINDOW = 1 / 16;

/** All of them together. It depends on the model alone: what streams begin with must be the same. */
export function instructionTokensOf(model: string, served?: number): number {
  const window = contextWindowOf(model, served);
  return Math.min(MAX_INSTRUCTION_TOKENS, Math.floor(window * SHARE_OF_WINDOW));
}

export function instructionPath(folder: string, name: InstructionName): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The folder that a pattern is in, as far as it has no wildcard. What may be a folder counts as one. */
function folderOf({ kind, parts, literalCount }: Pattern): string[] {
  return parts.slice(0, kind === 'file' ? parts.length - 1 : literalCount);
}

/** From the root, which is '', down to the folder that all entries have in common. */
export function foldersTo(owns: readonly string[]): string[] {
  const [first, ...others] = patternsOf(owns).map(folderOf);
  let common = first ?? [];
  for (const other of others) {
    const end = common.findIndex((part, at) => part !== other[at]);
    if (end >= 0) common = common.slice(0, end);
  }
  return ['', ...common.map((_, at) => common.slice(0, at + 1).join('/'))];
}

/** By their paths: those that need not be shown again among the files. */
export function wholeTexts({ files }: ShownInstructions): Map<string, string> {
  const whole = files.filter(({ included }) => included === 'full');
  return new Map(whole.map(({ path, text }) => [path, text]));
}

/** The deepest is kept longest: it is the nearest to the task. */
export function fitInstructions(
  /** The root's first. */
  files: readonly InstructionFile[],
  maxTokens: number,
): ShownInstructions {
  const shown: ShownInstruction[] = [];
  const cut: { path: string; reason: string }[] = [];
  let room = maxTokens;
  for (const { path, text } of files.toReversed()) {
    const nameTokens = estimateTokenCount(path);
    const part = beginningOf(text, Math.max(0, room - nameTokens));
    const isWhole = part === text;
    const tokens = estimateTokenCount(part) + nameTokens;
    if (part !== '')
      shown.unshift({ path, text: part, included: isWhole ? 'full' : 'head', tokens });
    if (!isWhole) {
      const reason = part === '' ? 'left out' : 'only its beginning is shown';
      cut.unshift({ path, reason });
    }
    // Above one that was cut nothing is shown: a rule of the root without those below it misleads.
    room = isWhole ? room - tokens : 0;
  }
  return { files: shown, cut };
}

export const INSTRUCTIONS_CUT = 'INSTRUCTIONS_CUT';
const NAMED_STREAMS = 3;

/** One sentence for each file that streams are not shown as a whole. */
export function cutTexts(
  streams: Iterable<readonly [id: string, shown: Pick<ShownInstructions, 'cut'>]>,
): string[] {
  const idsByCut = new Map<string, string[]>();
  for (const [id, { cut }] of streams) {
    for (const { path, reason } of cut) {
      const text = `${path}: ${reason}`;
      idsByCut.set(text, [...(idsByCut.get(text) ?? []), id]);
    }
  }
  return [...idsByCut].map(([text, ids]) => {
    const more = ids.length - NAMED_STREAMS;
    const named = ids.slice(0, NAMED_STREAMS).join(', ');
    const of = more > 0 ? `${named} and ${more} more` : named;
    return `${text} (${of}): the instructions of the repository are longer than a prompt has room for.`;
  });
}

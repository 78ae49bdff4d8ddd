// What a plan is made from: the map of the repository for the model, the facts for the rules, and what the
// repository says to all who change it.
import { contextWindowOf } from '../domain/model/context-window.ts';
import { instructionLines } from '../domain/prompt/instruction-lines.ts';
import { fitInstructions, instructionPath } from '../domain/prompt/instructions.ts';
import { foldersTo, instructionTokensOf } from '../domain/prompt/instructions.ts';
import type { ProposalRequest } from '../domain/prompt/proposal-prompt.ts';
import type { Repository } from '../manifest/compose/repository.ts';
import { createFileReader } from '../project/project-file.ts';
import type { FileReader } from '../project/project-file.ts';
import { readInstructions } from '../project/read-instructions.ts';
import type { ProjectScan } from '../project/scan-project.ts';
import type { Snapshot, Snapshots } from '../project/snapshots.ts';
import { MAP_TOKENS, makeMap } from './map.ts';
import type { RepositoryMap } from './map.ts';
import { repositoryOf } from './repository-facts.ts';

export interface SurveyOptions {
  root: string;
  task: string;
  scan: ProjectScan;
  /** Kept by a caller that plans more than once. */
  snapshots: Snapshots;
  model: string | undefined;
  /** Tokens that the model's server takes in, where only the server knows. */
  servedWindow?: number | undefined;
  /** Whether the prompt has the repository's instructions. */
  instructions: boolean;
  protectedPaths: readonly string[];
}

export interface Survey {
  repository: Repository;
  /** Everything that the model is sent, but for what is wrong with its first answer. */
  request(): Promise<{ request: Omit<ProposalRequest, 'problems'>; map: RepositoryMap }>;
}

/** More than people can follow at once; a task for more than that is several features. */
const MAX_STREAMS = 20;
/** The rest of a small window is for the task and the answer. */
const MAP_SHARE = 0.5;

async function instructionsOf(
  { model, servedWindow }: SurveyOptions,
  { index }: Snapshot,
  reader: FileReader,
): Promise<string> {
  const listed = async (paths: readonly string[]) =>
    paths.map((path) => ({ path, isListed: index.has(path) }));
  // Which folders the streams will own is not known yet.
  const found = await readInstructions(foldersTo([]), { collector: { listed }, reader });
  const files = found.flatMap(({ folder, file }) =>
    file === null ? [] : [{ path: instructionPath(folder, file.name), text: file.text }],
  );
  return instructionLines(fitInstructions(files, instructionTokensOf(model ?? '', servedWindow)));
}

export async function surveyProject(options: SurveyOptions): Promise<Survey> {
  const { root, task, model, servedWindow, snapshots } = options;
  const snapshot = await snapshots.next({ withGraph: true });
  const isForAgents = false;
  return {
    repository: repositoryOf({ ...options, snapshot, isForAgents }),
    async request() {
      const reader = createFileReader(root);
      const window = contextWindowOf(model ?? '', servedWindow);
      const mapTokens = Math.min(MAP_TOKENS, Math.floor(window * MAP_SHARE));
      const map = await makeMap(task, { snapshot, reader }, mapTokens);
      const instructions = options.instructions
        ? await instructionsOf(options, snapshot, reader)
        : '';
      return { request: { task, instructions, map: map.text, maxStreams: MAX_STREAMS }, map };
    },
  };
}

// The tools of the built-in agent, in the order in which a model sees them: the same in every turn, for its vendor's cache.
import type { Tool } from './tool.ts';
import { ask } from './tools/ask.ts';
import { deleteFile } from './tools/delete.ts';
import { done } from './tools/done.ts';
import { edit } from './tools/edit.ts';
import { list } from './tools/list.ts';
import { read } from './tools/read.ts';
import { run } from './tools/run.ts';
import { search } from './tools/search.ts';
import { write } from './tools/write.ts';

export const TOOLS: readonly Tool[] = [read, list, search, edit, write, deleteFile, run, ask, done];

export const SPECS = TOOLS.map(({ spec }) => spec);

const BY_NAME = new Map(TOOLS.map((tool) => [tool.spec.name, tool]));

export const toolNamed = (name: string): Tool | undefined => BY_NAME.get(name);

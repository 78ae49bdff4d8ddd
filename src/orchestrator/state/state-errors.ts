// What can be wrong with the state of runs on disk.
import { dirname } from 'node:path';

/** The state folder belongs to another user, or others may write into it. */
export class StateNotOursError extends Error {
  readonly code = 'STATE_FOLDER_UNUSABLE';
  readonly hint = 'Move it away, or set MILLRACE_STATE_DIR to a folder that belongs to you.';
  readonly exit = 'usage';
  readonly folder: string;
  constructor(folder: string, why: string) {
    super(`The state folder ${folder} ${why}.`);
    this.name = 'StateNotOursError';
    this.folder = folder;
  }
}

/** A file of the state is not what we wrote: a disk fault, or edited by hand. */
export class StateDamagedError extends Error {
  readonly code = 'STATE_DAMAGED';
  readonly hint: string;
  readonly exit = 'failed';
  readonly file: string;
  constructor(file: string, why: string) {
    super(`${file} is damaged: ${why}.`);
    this.name = 'StateDamagedError';
    this.hint = `Move ${dirname(file)} out of the way to start over; your project files stay as they are.`;
    this.file = file;
  }
}

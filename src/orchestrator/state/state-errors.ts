// What can be wrong with the state of runs on disk.

/** The state folder belongs to another user, or others may write into it. */
export class StateNotOursError extends Error {
  readonly folder: string;
  constructor(folder: string, why: string) {
    super(`The state folder ${folder} ${why}.`);
    this.name = 'StateNotOursError';
    this.folder = folder;
  }
}

/** A file of the state is not what we wrote: a disk fault, or edited by hand. */
export class StateDamagedError extends Error {
  readonly file: string;
  constructor(file: string, why: string) {
    super(`${file} is damaged: ${why}.`);
    this.name = 'StateDamagedError';
    this.file = file;
  }
}

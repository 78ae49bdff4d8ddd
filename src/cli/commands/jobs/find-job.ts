// The job that a command is about. The API has no list of jobs to look beginnings up in, so an id is
// whole; only its type may be left out.
const PART = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export function jobIdOf(asked: string): string {
  return PART.test(asked) ? `job_${asked}` : asked;
}

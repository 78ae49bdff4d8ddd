/** A declaration that is longer than this says more than an outline should. */
const MAX_DECLARATION = 400;

export function shortened(declaration: string): string {
  if (declaration.length <= MAX_DECLARATION) return declaration;
  return `${declaration.slice(0, MAX_DECLARATION).toWellFormed()} ...`;
}

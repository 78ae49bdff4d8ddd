/** As `push`, but for lists of any length: an answer can hold more than a call takes arguments. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}

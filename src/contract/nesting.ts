/** Level by level: what is nested too deeply for a stack must not be looked at with one. */
export function isNestedAtMost(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels + 1) return false;
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return true;
}

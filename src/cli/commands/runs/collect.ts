/** Of a flag that may be given several times: the values so far and one more. */
export function collect(value: string, earlier: string | undefined): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}

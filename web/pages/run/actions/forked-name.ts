/** A name beside that of the manifest: `plans/shop.yaml` to `plans/shop-fork.yaml`. */
export function forkedName(file: string): string {
  const name = file || 'millrace.yaml';
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf('/') + 1
    ? `${name.slice(0, dot)}-fork${name.slice(dot)}`
    : `${name}-fork`;
}

// What a document is made of once it is read. A mapping is a Map: an object would put keys that look
// like numbers first, and the order of streams matters.
import type { Scalar } from './scalars.ts';

/** Undefined stands for a value that was refused and reported already. */
export type Value = Scalar | Value[] | Mapping | undefined;
export type Mapping = Map<string, Value>;

export function isMapping(value: Value): value is Mapping {
  return value instanceof Map;
}

// What a field of a manifest may hold. The parser and the JSON Schemas both read these tables.
import { STREAM_ID_PATTERN } from '../../contract/stream-limits.ts';
import type { ContextDepth } from '../model.ts';

export type FieldType =
  /** Not empty unless `mayBeEmpty`. */
  | { kind: 'text'; mayBeEmpty?: boolean }
  | { kind: 'id' }
  /** A file, a folder or a glob. */
  | { kind: 'pattern' }
  | { kind: 'version' }
  | { kind: 'timestamp' }
  | { kind: 'boolean' }
  | { kind: 'integer'; min: number; max?: number }
  /** In dollars, more than nothing. */
  | { kind: 'usd'; max: number }
  | { kind: 'choice'; values: readonly string[] }
  /** The name of a host, or `*.` and a name for all below it. */
  | { kind: 'host' }
  /** One of these words, or a list of hosts. */
  | { kind: 'hosts'; words: readonly string[] }
  | { kind: 'list'; of: FieldType; min?: number }
  | { kind: 'object'; fields: Fields }
  /** A mapping from stream ids to streams. */
  | { kind: 'streams'; fields: Fields };

export interface FieldSpec {
  type: FieldType;
  isRequired?: boolean;
  /** Another field that says the same in another way: only one of the two can be meant. */
  excludes?: string;
  /** One sentence for the author of a manifest. */
  about: string;
  default?: string | number | boolean;
  example: string;
}

export type Fields = Readonly<Record<string, FieldSpec>>;

export const ID_PATTERN = STREAM_ID_PATTERN;

/** The grammar of semver.org. */
export const VERSION_PATTERN =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+([0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*))?$/;

/** ISO 8601: a day, or a day with its time and perhaps the zone. */
export const TIMESTAMP_PATTERN =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** Never an address: hosts are allowed by name. */
export const HOST_PATTERN = /^(\*\.)?([a-zA-Z0-9-]{1,63}\.){1,8}[a-zA-Z][a-zA-Z0-9-]{0,62}$/;

/** Keys that begin like this are the author's own. */
export const FREE_KEY_PREFIX = 'x-';

export const MIN_TIMEOUT_MS = 1_000;
export const MAX_TIMEOUT_MS = 3_600_000;

/** A model that does not see what its files use guesses it; `minimal` is cheaper for who wants that. */
export const DEFAULT_DEPTH: ContextDepth = 'moderate';
